print("navstate")
