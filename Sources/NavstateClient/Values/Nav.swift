/// The types whose names apps and SwiftUI have, too.
public enum Nav {}

// The names before version 0.3. They go with 0.4.

@available(*, deprecated, renamed: "Nav.Badge") public typealias Badge = Nav.Badge
@available(*, deprecated, renamed: "Nav.Change") public typealias Change = Nav.Change
@available(*, deprecated, renamed: "Nav.Command") public typealias Command = Nav.Command
@available(*, deprecated, renamed: "Nav.Connection") public typealias Connection = Nav.Connection
/// The former name.
@available(*, deprecated, renamed: "Nav.Destination")
public typealias Destination = Nav.Destination
@available(*, deprecated, renamed: "Nav.Entry") public typealias Entry = Nav.Entry
@available(*, deprecated, renamed: "Nav.Problem") public typealias Problem = Nav.Problem
@available(*, deprecated, renamed: "Nav.Session") public typealias Session = Nav.Session
@available(*, deprecated, renamed: "Nav.Sheet") public typealias Sheet = Nav.Sheet
@available(*, deprecated, renamed: "Nav.Tab") public typealias Tab = Nav.Tab
