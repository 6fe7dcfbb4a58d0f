// Tests of an app without a server.
