import Navigation

/// The shop: one stack, two destinations carried as values, pop to one of them.
extension Story {
    static let shop = stories(
        of: #"""
            {
             "id": "shop",
             "$defs": {
              "Product": {
               "type": "object",
               "required": ["title"],
               "properties": {"title":{"type":"string"},"price":{"type":"number","minimum":0}}
              },
              "Category": {
               "type": "object",
               "required": ["query"],
               "properties": {"query":{"type":"string"}}
              }
             },
             "routes": {
              "product": {
               "params": {
                "type": "object",
                "required": ["product"],
                "properties": {"product":{"$ref":"#/$defs/Product"}}
               }
              },
              "category": {
               "params": {
                "type": "object",
                "required": ["category"],
                "properties": {"category":{"$ref":"#/$defs/Category"}}
               }
              }
             },
             "tabs": [{"id":"shop","root":"home","routes":["product","category"]}]
            }
            """#,
        [
            "category, product, product; back to the category by route": [
                Step(.navigate, #"{"route":"category","params":{"category":{"query":"tea"}}}"#),
                Step(
                    .navigate,
                    #"{"route":"product","params":{"product":{"title":"Green","price":3.5}}}"#),
                Step(
                    .navigate, #"{"route":"product","params":{"product":{"title":"Black"}}}"#,
                    .shows(
                        #"shop* [category{"category":{"query":"tea"}}, product{"product":{"price":3.5,"title":"Green"}}, product{"product":{"title":"Black"}}]"#
                    )),
                Step(
                    .back, #"{"to":{"route":"category"}}"#,
                    .shows(#"shop* [category{"category":{"query":"tea"}}]"#, popped: 2)),
                Step(.back, #"{"to":{"route":"product"}}"#, .refused("entry-not-found")),
                Step(.back, #"{"to":{"route":"category"},"inclusive":true}"#, .shows("shop* []")),
            ],
            "modes: single, popTo, toFront, replace, reset": [
                Step(
                    .setPath,
                    #"{"in":"shop","path":[{"route":"category","params":{"category":{"query":"a"}}},{"route":"product","params":{"product":{"title":"p"}}}]}"#,
                    .shows(
                        #"shop* [category{"category":{"query":"a"}}, product{"product":{"title":"p"}}]"#
                    )),
                Step(
                    .navigate,
                    #"{"route":"product","params":{"product":{"title":"q"}},"mode":"single"}"#,
                    .shows(
                        #"shop* [category{"category":{"query":"a"}}, product{"product":{"title":"q"}}]"#
                    )),
                Step(
                    .navigate,
                    #"{"route":"product","params":{"product":{"title":"q"}},"mode":"single"}"#,
                    .nothing("same-entry")),
                Step(
                    .navigate,
                    #"{"route":"category","params":{"category":{"query":"a"}},"mode":"toFront"}"#,
                    .shows(
                        #"shop* [product{"product":{"title":"q"}}, category{"category":{"query":"a"}}]"#
                    )),
                Step(
                    .navigate,
                    #"{"route":"product","params":{"product":{"title":"r"}},"mode":"replace"}"#,
                    .shows(
                        #"shop* [product{"product":{"title":"q"}}, product{"product":{"title":"r"}}]"#
                    )),
                Step(
                    .navigate,
                    #"{"route":"category","params":{"category":{"query":"z"}},"mode":"reset"}"#,
                    .shows(#"shop* [category{"category":{"query":"z"}}]"#)),
                Step(.root, "{}"),
                Step(
                    .navigate,
                    #"{"route":"category","params":{"category":{"query":"z"}},"mode":"replace"}"#,
                    .refused("at-root")),
            ],
            "params are changed in place, keeping the entry": [
                Step(
                    .navigate, #"{"route":"product","params":{"product":{"title":"p","price":1}}}"#),
                Step(
                    .setParams, #"{"params":{"product":{"price":null,"title":"q"}}}"#,
                    .shows(#"shop* [product{"product":{"title":"q"}}]"#)),
                Step(
                    .setParams, #"{"params":{"product":{"title":5}}}"#, .refused("invalid-params")),
                Step(.setParams, #"{"entry":"nope","params":{}}"#, .refused("entry-not-found")),
            ],
        ])
}
