// Tests of the tools for app documents.
