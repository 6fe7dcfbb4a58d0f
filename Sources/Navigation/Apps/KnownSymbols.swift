// Made by Sources/Assets/generate.py from Sources/Assets/web/console/symbols.js.

/// The symbols that the pages of the server can draw.
enum KnownSymbols {
    static let names = [
        "airplane", "app", "archivebox", "bag", "bed.double", "bell", "bicycle", "bolt", "book",
        "bookmark", "briefcase", "bubble", "building", "bus", "calendar", "camera", "car", "cart",
        "chart.bar", "checkmark", "clipboard", "clock", "cloud", "creditcard", "cross",
        "cup.and.saucer", "doc", "doc.text", "door.left.hand.open", "drop", "ellipsis", "envelope",
        "exclamationmark.triangle", "eye", "film", "flag", "flame", "folder", "fork.knife",
        "gamecontroller", "gearshape", "gift", "globe", "graduationcap", "hammer", "headphones",
        "heart", "house", "info", "key", "leaf", "lightbulb", "link", "list", "location", "lock",
        "magnifyingglass", "map", "mappin", "message", "mic", "moon", "music.note", "newspaper",
        "paperplane", "pawprint", "pencil", "person", "person.2", "phone", "photo", "pills", "play",
        "plus", "printer", "qrcode", "questionmark", "rectangle.stack", "scissors", "shield",
        "shippingbox", "slider.horizontal.3", "snowflake", "sparkles", "square",
        "square.and.arrow.up", "square.and.pencil", "square.grid.2x2", "square.stack", "star",
        "stethoscope", "sun.max", "tag", "ticket", "tram", "trash", "tray", "trophy", "truck", "tv",
        "video", "wallet.pass", "wifi", "wrench",
    ]
}
