// Package index handles folders of notes and code. It reads them safely, keeps a
// full-text index of them in a file of its own, answers questions with passages that
// can be cited, and writes notes inside one folder. The files are the truth, and the
// index can be deleted at any time. It calls no model, knows no chat and never
// deletes a note.
package index
