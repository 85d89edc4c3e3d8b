package tools

// Decided is the Data of a result that adds to what the session has decided.
type Decided string

// VariableSet is the Data of a result that sets a context variable.
type VariableSet struct {
	Name  string
	Value any
}
