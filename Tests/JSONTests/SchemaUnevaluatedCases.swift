extension SchemaConditionTests {
    /// The cases of `unevaluatedProperties`.
    static let unevaluated: [Case] = [
        Case(#"{"unevaluatedProperties":true}"#, ["{}", #"{"foo":"foo"}"#]),
        Case(
            #"{"unevaluatedProperties":{"type":"string","minLength":3}}"#,
            ["{}", #"{"foo":"foo"}"#],
            [#"{"foo":"fo"}"#]),
        Case(#"{"unevaluatedProperties":false}"#, ["{}", "[]", "1"], [#"{"foo":"foo"}"#]),
        Case(
            #"{"properties":{"foo":{"type":"string"}},"unevaluatedProperties":false}"#,
            [#"{"foo":"foo"}"#], [#"{"foo":"foo","bar":"bar"}"#]),
        Case(
            #"{"patternProperties":{"^foo":{"type":"string"}},"unevaluatedProperties":false}"#,
            [#"{"foo":"foo"}"#], [#"{"foo":"foo","bar":"bar"}"#]),
        Case(
            #"{"properties":{"foo":true},"additionalProperties":true,"unevaluatedProperties":false}"#,
            [#"{"foo":"foo"}"#, #"{"foo":"foo","bar":"bar"}"#]),
        Case(
            #"{"properties":{"foo":true},"additionalProperties":{"type":"string"},"unevaluatedProperties":false}"#,
            [#"{"foo":"foo","bar":"bar"}"#], [#"{"foo":"foo","bar":1}"#]),
        // Adjacent and nested applicators.
        Case(
            #"{"properties":{"foo":true},"allOf":[{"properties":{"bar":true}}],"unevaluatedProperties":false}"#,
            [#"{"foo":1,"bar":2}"#], [#"{"foo":1,"bar":2,"baz":3}"#]),
        Case(
            #"{"allOf":[{"additionalProperties":true}],"unevaluatedProperties":false}"#,
            [#"{"foo":1,"bar":2}"#]),
        Case(
            #"{"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false}"#,
            [#"{"foo":1,"bar":2}"#]),
        Case(
            #"{"allOf":[{"unevaluatedProperties":false}],"unevaluatedProperties":true}"#, ["{}"],
            [#"{"foo":1}"#]),
        // A schema sees nothing of the schemas beside it.
        Case(
            #"{"allOf":[{"properties":{"foo":true}},{"unevaluatedProperties":false}]}"#, ["{}"],
            [#"{"foo":1}"#]),
        Case(
            #"{"allOf":[{"unevaluatedProperties":true},{"properties":{"foo":true},"unevaluatedProperties":false}]}"#,
            [#"{"foo":1}"#], [#"{"foo":1,"bar":2}"#]),
        Case(
            #"{"properties":{"foo":true},"allOf":[{"unevaluatedProperties":false}]}"#, ["{}"],
            [#"{"foo":1}"#]),
        Case(
            #"{"properties":{"foo":true},"anyOf":[{"properties":{"bar":{"const":"bar"}},"required":["bar"]},{"properties":{"baz":{"const":"baz"}},"required":["baz"]},{"properties":{"quux":{"const":"quux"}},"required":["quux"]}],"unevaluatedProperties":false}"#,
            [
                #"{"foo":1,"bar":"bar"}"#, #"{"foo":1,"bar":"bar","baz":"baz"}"#,
                #"{"foo":1,"bar":"bar","baz":"baz","quux":"quux"}"#,
            ],
            [
                #"{"foo":1,"bar":"bar","baz":"not-baz"}"#,
                #"{"foo":1,"bar":"bar","quux":"not-quux"}"#,
            ]),
        Case(
            #"{"properties":{"foo":true},"oneOf":[{"properties":{"bar":{"const":"bar"}},"required":["bar"]},{"properties":{"baz":{"const":"baz"}},"required":["baz"]}],"unevaluatedProperties":false}"#,
            [#"{"foo":1,"bar":"bar"}"#], [#"{"foo":1,"bar":"bar","quux":"quux"}"#]),
        Case(
            #"{"properties":{"foo":true},"not":{"not":{"properties":{"bar":{"const":"bar"}},"required":["bar"]}},"unevaluatedProperties":false}"#,
            [], [#"{"foo":1,"bar":"bar"}"#]),
        Case(
            #"{"if":{"properties":{"foo":{"const":"then"}},"required":["foo"]},"then":{"properties":{"bar":true},"required":["bar"]},"else":{"properties":{"baz":true},"required":["baz"]},"unevaluatedProperties":false}"#,
            [#"{"foo":"then","bar":"bar"}"#, #"{"baz":"baz"}"#],
            [
                #"{"foo":"then","bar":"bar","baz":"baz"}"#, #"{"foo":"else","baz":"baz"}"#,
                #"{"foo":"then"}"#,
            ]),
        Case(
            #"{"if":{"properties":{"foo":{"const":"then"}},"required":["foo"]},"unevaluatedProperties":false}"#,
            [#"{"foo":"then"}"#], [#"{"foo":"else"}"#, #"{"foo":"then","a":1}"#]),
        Case(
            #"{"if":{"properties":{"foo":{"const":"then"}},"required":["foo"]},"else":{"properties":{"baz":true}},"unevaluatedProperties":false}"#,
            [#"{"foo":"then"}"#, #"{"baz":1}"#], [#"{"foo":"else"}"#, #"{"foo":"then","baz":1}"#]),
        Case(
            ##"{"$ref":"#/$defs/bar","properties":{"foo":true},"unevaluatedProperties":false,"$defs":{"bar":{"properties":{"bar":true}}}}"##,
            [#"{"foo":1,"bar":2}"#], [#"{"foo":1,"bar":2,"baz":3}"#]),
        // It does not reach into members and elements.
        Case(
            #"{"properties":{"foo":{"properties":{"bar":true},"unevaluatedProperties":false}},"unevaluatedProperties":{"properties":{"faz":true},"unevaluatedProperties":false}}"#,
            [#"{"foo":{"bar":1}}"#, #"{"foo":{"bar":1},"bar":{"faz":2}}"#],
            [#"{"foo":{"bar":1,"faz":2}}"#, #"{"bar":{"bar":1}}"#]),
        Case(
            #"{"properties":{"foo":{"properties":{"bar":true}}},"unevaluatedProperties":false}"#,
            [#"{"foo":{"bar":1,"baz":2}}"#], [#"{"foo":{},"bar":1}"#]),
        Case(
            ##"{"properties":{"next":{"$ref":"#/$defs/A"}},"$ref":"#/$defs/A","$defs":{"A":{"properties":{"next":{"$ref":"#/$defs/A"},"x":true},"unevaluatedProperties":false}}}"##,
            [#"{"next":{"x":1,"next":{}}}"#], [#"{"next":{"next":{"y":1}}}"#, #"{"y":1}"#]),
        Case(
            #"{"propertyNames":{"maxLength":3},"unevaluatedProperties":false}"#, ["{}"],
            [#"{"foo":1}"#]),
        Case(
            #"{"anyOf":[true,{"properties":{"foo":true}}],"unevaluatedProperties":false}"#,
            [#"{"foo":1}"#], [#"{"bar":1}"#]),
        Case(
            #"{"anyOf":[{"anyOf":[{"properties":{"a":true}},{"properties":{"b":{"type":"string"}}}]},{"properties":{"c":{"type":"null"}}}],"unevaluatedProperties":false}"#,
            [#"{"a":1,"b":"x","c":null}"#], [#"{"a":1,"b":2}"#, #"{"c":1}"#]),
        Case(
            #"{"allOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"number"}}}],"unevaluatedProperties":false}"#,
            [#"{"a":"x","b":1}"#], [#"{"a":"x","c":1}"#, #"{"b":1}"#]),
        Case(
            #"{"not":{"properties":{"a":true},"unevaluatedProperties":false}}"#, [#"{"b":1}"#],
            ["{}", #"{"a":1}"#]),
    ]
}
