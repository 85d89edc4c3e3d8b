// Package facts is what is remembered. Store is its rows: what is saved, corrected
// and found again, with its history, its vectors, and the merge with a file that
// the owner edits. Service is the one way to change them, whoever asks: the
// model's tools, people with /facts and the operator at the machine; it holds the
// rule for who may decide something for everybody in a place, and what is never
// remembered. It reads no file, knows no model and no command.
package facts
