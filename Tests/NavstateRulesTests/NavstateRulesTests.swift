// Tests of the rules in process.
