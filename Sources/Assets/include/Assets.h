int assets_stub(void);
