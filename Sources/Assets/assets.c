#include "Assets.h"
int assets_stub(void) { return 0; }
