// The rules of the server, in process.
