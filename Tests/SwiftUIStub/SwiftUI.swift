// The SwiftUI declarations that NavstateClient and its example use, with the signatures of Apple's
// documentation and without any effect. SwiftUI does not exist on Linux; against this stub the
// compiler at least checks names, types and isolation. It says nothing about how a screen behaves.

public import Foundation
public import Observation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// The views that other views of the stub are made of.
@MainActor public protocol PrimitiveView: View where Body == Never {}
extension PrimitiveView {
    public var body: Never { fatalError() }
}

@resultBuilder public struct ViewBuilder {
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { TupleView((repeat each content)) }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> _ConditionalContent<First, Second> { .init() }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> _ConditionalContent<First, Second> { .init() }
}

public struct EmptyView: PrimitiveView {
    nonisolated public init() {}
}
public struct TupleView<Content>: PrimitiveView {
    nonisolated public init(_ value: Content) {}
}
public struct _ConditionalContent<First, Second>: PrimitiveView {
    nonisolated init() {}
}
extension Optional: View where Wrapped: View {
    public var body: Never { fatalError() }
}

public struct Text: PrimitiveView {
    nonisolated public init<Content: StringProtocol>(_ content: Content) {}
}
public struct Label: PrimitiveView {
    nonisolated public init<Content: StringProtocol>(_ title: Content, systemImage: String) {}
}
public struct Group<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
}
public struct List<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
}
public struct VStack<Content: View>: PrimitiveView {
    public init(@ViewBuilder content: () -> Content) {}
}
public struct Button<Content: View>: PrimitiveView {
    nonisolated public init(
        action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Content
    ) {}
}
extension Button {
    nonisolated public init(
        role: ButtonRole?, action: @escaping @MainActor () -> Void,
        @ViewBuilder label: () -> Content
    ) {}
}
public struct ButtonRole: Equatable, Sendable {
    public static let destructive = ButtonRole()
    public static let cancel = ButtonRole()
}
public enum Visibility: Hashable, Sendable { case automatic, visible, hidden }
public struct ToolbarPlacement: Sendable {
    public static let tabBar = ToolbarPlacement()
}
public enum Edge: Sendable { case top, leading, bottom, trailing }
extension Button where Content == Text {
    public init<Title: StringProtocol>(_ title: Title, action: @escaping @MainActor () -> Void) {}
}
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: PrimitiveView {}
extension ForEach where Data.Element: Identifiable, ID == Data.Element.ID {
    nonisolated public init(
        _ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}
extension ForEach {
    nonisolated public init(
        _ data: Data, id: KeyPath<Data.Element, ID>,
        @ViewBuilder content: @escaping (Data.Element) -> Content
    ) {}
}

public struct TabView<SelectionValue: Hashable, Content: View>: PrimitiveView {
    nonisolated public init(
        selection: Binding<SelectionValue>?, @ViewBuilder content: () -> Content
    ) {}
}
public struct NavigationStack<Data, Root: View>: PrimitiveView {
    public init(path: Binding<Data>, @ViewBuilder root: () -> Root)
    where
        Data: MutableCollection & RandomAccessCollection & RangeReplaceableCollection,
        Data.Element: Hashable
    {}
}

@MainActor @preconcurrency
public protocol ViewModifier {
    associatedtype Body: View
    typealias Content = _ViewModifier_Content<Self>
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
}
public struct _ViewModifier_Content<Modifier: ViewModifier>: PrimitiveView {}
public struct ModifiedContent<Content, Modifier> {}
extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
    public var body: Never { fatalError() }
}

public struct PresentationDetent: Hashable, Sendable {
    public static let medium = PresentationDetent()
    public static let large = PresentationDetent()
    public static func fraction(_ fraction: Double) -> PresentationDetent { PresentationDetent() }
    public static func height(_ height: Double) -> PresentationDetent { PresentationDetent() }
}

extension View {
    nonisolated public func modifier<Modifier>(
        _ modifier: Modifier
    ) -> ModifiedContent<Self, Modifier> { .init() }
    nonisolated public func tag<Value: Hashable>(_ tag: Value) -> some View { EmptyView() }
    nonisolated public func tabItem<Item: View>(
        @ViewBuilder _ label: () -> Item
    ) -> some View { EmptyView() }
    nonisolated public func badge(_ label: Text?) -> some View { EmptyView() }
    nonisolated public func background<Content: View>(
        @ViewBuilder content: () -> Content
    ) -> some View { EmptyView() }
    nonisolated public func toolbar(
        _ visibility: Visibility, for bars: ToolbarPlacement...
    ) -> some View { EmptyView() }
    nonisolated public func navigationTitle<Title: StringProtocol>(
        _ title: Title
    ) -> some View { EmptyView() }
    nonisolated public func navigationDestination<Data: Hashable, Content: View>(
        for data: Data.Type, @ViewBuilder destination: @escaping (Data) -> Content
    ) -> some View { EmptyView() }
    nonisolated public func sheet<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { EmptyView() }
    nonisolated public func fullScreenCover<Item: Identifiable, Content: View>(
        item: Binding<Item?>, onDismiss: (() -> Void)? = nil,
        @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { EmptyView() }
    nonisolated public func popover<Item: Identifiable, Content: View>(
        item: Binding<Item?>, arrowEdge: Edge? = nil,
        @ViewBuilder content: @escaping (Item) -> Content
    ) -> some View { EmptyView() }
    nonisolated public func inspector<Content: View>(
        isPresented: Binding<Bool>, @ViewBuilder content: () -> Content
    ) -> some View { EmptyView() }
    nonisolated public func alert<Actions: View, Message: View, Item>(
        _ title: Text, isPresented: Binding<Bool>, presenting data: Item?,
        @ViewBuilder actions: (Item) -> Actions, @ViewBuilder message: (Item) -> Message
    ) -> some View { EmptyView() }
    nonisolated public func confirmationDialog<Actions: View, Message: View, Item>(
        _ title: Text, isPresented: Binding<Bool>, titleVisibility: Visibility = .automatic,
        presenting data: Item?, @ViewBuilder actions: (Item) -> Actions,
        @ViewBuilder message: (Item) -> Message
    ) -> some View { EmptyView() }
    nonisolated public func navigationBarBackButtonHidden(
        _ hidesBackButton: Bool = true
    ) -> some View { EmptyView() }
    nonisolated public func interactiveDismissDisabled(
        _ isDisabled: Bool = true
    ) -> some View { EmptyView() }
    nonisolated public func presentationDetents(
        _ detents: Set<PresentationDetent>
    ) -> some View { EmptyView() }
    nonisolated public func onOpenURL(perform action: @escaping (URL) -> Void) -> some View {
        EmptyView()
    }
    nonisolated public func task(
        priority: TaskPriority = .userInitiated,
        _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { EmptyView() }
}

@propertyWrapper @dynamicMemberLookup
public struct Binding<Value> {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { self }
    fileprivate init(stub: Void) {}
    public subscript<Subject>(
        dynamicMember keyPath: WritableKeyPath<Value, Subject>
    ) -> Binding<Subject> { .init(stub: ()) }
}

@propertyWrapper @dynamicMemberLookup
public struct Bindable<Value> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }
    public init(wrappedValue: Value) where Value: AnyObject & Observable {
        self.wrappedValue = wrappedValue
    }
    public subscript<Subject>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>
    ) -> Binding<Subject> where Value: AnyObject { .init(stub: ()) }
}

@propertyWrapper public struct State<Value> {
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
    public var projectedValue: Binding<Value> { .init(stub: ()) }
    public init(wrappedValue: Value) {}
}

@propertyWrapper @MainActor public struct Environment<Value> {
    public var wrappedValue: Value { fatalError() }
    nonisolated public init(_ type: Value.Type) where Value: AnyObject & Observable {}
}
extension View {
    nonisolated public func environment<Object: AnyObject & Observable>(
        _ object: Object?
    ) -> some View { EmptyView() }
}

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    @SceneBuilder @MainActor @preconcurrency var body: Body { get }
    @MainActor @preconcurrency init()
}
extension App {
    public static func main() {}
}
@MainActor @preconcurrency public protocol Scene {}
@resultBuilder public struct SceneBuilder {
    public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}
public struct WindowGroup<Content: View>: Scene {
    nonisolated public init(@ViewBuilder content: () -> Content) {}
}
