// Package edit writes the files of a folder of notes: each file in one step, several
// as one change that a crash leaves whole, with earlier versions and who wrote them.
// It knows nothing of Markdown or of an index, and removes nothing unless it is told
// to. One Pen serves one goroutine.
package edit
