package agent

import (
	"parley/internal/llm"
	"parley/internal/provenance"
	"parley/internal/sniff"
	"parley/internal/tools"
)

// Bounds of the files that tools give to one answer.
const (
	maxAttached      = 4
	maxAttachedBytes = 8 << 20 // of all of them, which every platform takes
)

// give keeps the files of a tool's result for the answer, and shows a model
// that sees the pictures among them.
func (t *turn) give(files tools.Attached) {
	size := 0
	for _, f := range t.report.files {
		size += len(f.Data)
	}
	for _, f := range files {
		if size += len(f.Data); len(t.report.files) == maxAttached || size > maxAttachedBytes {
			return
		}
		t.report.files = append(t.report.files, f)
		if kind, mime := sniff.File(f, f.Data); kind == sniff.Image && t.a.o.Files.unseen(mime, f.Data) == "" {
			t.in.files.images = append(t.in.files.images, llm.Image{MIME: mime, Data: f.Data})
			t.trust.origin.Via |= provenance.ViaPicture // what is written in it
		}
	}
}
