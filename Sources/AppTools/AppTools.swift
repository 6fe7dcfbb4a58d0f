// App documents: checked, drawn, imported, and turned into types. It needs no server, and is the
// library of the commands `navstate app …`.
