// App documents: checked, drawn, imported, and turned into types.
