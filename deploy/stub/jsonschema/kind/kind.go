// Package kind stands in for the kinds of errors of the library that jsonschema stands in for.
// It does not say what they are about: there are none.
package kind

// Those that kin-openapi knows.
type (
	Schema    struct{}
	Group     struct{}
	Reference struct{}
)

// KeywordPath implements jsonschema.ErrorKind.
func (*Schema) KeywordPath() []string { return nil }

// KeywordPath implements jsonschema.ErrorKind.
func (*Group) KeywordPath() []string { return nil }

// KeywordPath implements jsonschema.ErrorKind.
func (*Reference) KeywordPath() []string { return nil }
