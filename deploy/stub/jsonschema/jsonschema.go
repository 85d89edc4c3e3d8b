// Package jsonschema stands in for the library of this name, with which kin-openapi checks
// values against schemas of OpenAPI 3.1. We read files with it and check no values, and the
// library reads all its drafts whenever a program begins, which took each start of the bot 4
// ms and 1.7 MB. Whoever would check a value is told that it cannot be done.
package jsonschema

import "errors"

// ErrLeftOut is what comes of each schema.
var ErrLeftOut = errors.New("values are not checked against JSON Schemas here")

// Draft is a version of the language.
type Draft struct{}

// Draft2020 is the one that OpenAPI 3.1 uses.
var Draft2020 = &Draft{}

// Format is a format of texts.
type Format struct {
	Name     string
	Validate func(any) error
}

// Compiler compiles nothing.
type Compiler struct{}

// NewCompiler returns one.
func NewCompiler() *Compiler { return &Compiler{} }

// DefaultDraft does nothing.
func (*Compiler) DefaultDraft(*Draft) {}

// RegisterFormat does nothing.
func (*Compiler) RegisterFormat(*Format) {}

// AssertFormat does nothing.
func (*Compiler) AssertFormat() {}

// AddResource returns ErrLeftOut.
func (*Compiler) AddResource(string, any) error { return ErrLeftOut }

// Compile returns ErrLeftOut.
func (*Compiler) Compile(string) (*Schema, error) { return nil, ErrLeftOut }

// Schema is one that was compiled; there is none.
type Schema struct{}

// Validate returns ErrLeftOut.
func (*Schema) Validate(any) error { return ErrLeftOut }

// ErrorKind is why a value is not as its schema says.
type ErrorKind interface{ KeywordPath() []string }

// ValidationError is a value that is not as its schema says; there is none.
type ValidationError struct {
	InstanceLocation []string
	ErrorKind        ErrorKind
	Causes           []*ValidationError
}

// Error implements error.
func (*ValidationError) Error() string { return ErrLeftOut.Error() }
