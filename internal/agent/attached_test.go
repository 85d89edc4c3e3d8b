package agent

import (
	"context"
	"testing"

	"parley/internal/agent/attachments"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory/provenance"
	"parley/internal/tools"
)

// A picture from a tool reaches the person with the answer, and a model that
// sees is shown it on its next call.
func TestFilesOfTools(t *testing.T) {
	for name, see := range map[string]bool{"seeing": true, "blind": false} {
		t.Run(name, func(t *testing.T) {
			png := aPNG(t)
			draw := tools.Func(tools.Meta{Name: "draw", Description: "draws", Category: tools.Web, ReadOnly: true, Core: true},
				func(context.Context, tools.Call, struct{}) (tools.Result, error) {
					files := []chat.File{{Name: "a.png", MIME: "image/png", Data: png}, {Name: "b.bin", MIME: "image/png", Data: []byte("no picture")}}
					return tools.Result{Content: "drawn", Untrusted: true, Files: files}, nil
				})
			b := newBench(t, Options{Files: attachments.Files{See: see}}, draw)
			shown := 0
			b.model.Answer = func(r llm.Request) (llm.Response, error) {
				for _, m := range r.Messages {
					shown += len(m.Images)
				}
				if last := r.Messages[len(r.Messages)-1]; last.Role == llm.RoleTool {
					return spoken("here"), nil
				}
				return wanted(call("1", "draw", "{}")), nil
			}
			m := b.accept(sent("draw me something"))
			a, err := b.Handle(t.Context(), m, &viewer{})
			if err != nil || len(a.Files) != 2 || a.Files[0].Name != "a.png" || string(a.Files[0].Data) != string(png) {
				t.Fatalf("%+v, %v", a, err)
			}
			if want := map[bool]int{true: 1, false: 0}[see]; shown != want {
				t.Errorf("the model was shown %d pictures, want %d", shown, want)
			}
		})
	}
}

// A picture that was made before a question comes with the question: nothing of
// it waits for the answer.
func TestFilesOfToolsBeforeAQuestion(t *testing.T) {
	draw := gives(tools.Meta{Name: "draw", Description: "draws", Category: tools.Web, ReadOnly: true, Core: true},
		tools.Result{Content: "drawn", Files: []chat.File{{Name: "a.png", MIME: "image/png", Data: aPNG(t)}}})
	erase := gives(tools.Meta{Name: "erase", Description: "erases", Category: tools.Task, Core: true,
		Consent: tools.Consent{Confirm: true}}, tools.Result{Content: "erased"})
	d := &desk{}
	b := newBench(t, Options{Confirm: d.ask}, draw, erase)
	b.model.Call(call("1", "draw", "{}"), call("2", "erase", "{}"))
	b.model.Say("Done.")
	m := b.accept(sent("draw, then erase"))
	a, err := b.Handle(t.Context(), m, &viewer{})
	if err != nil || len(a.Files) != 1 || a.Files[0].Name != "a.png" {
		t.Fatalf("asked with %+v, %v", a.Files, err)
	}
	must(t, b.store.Finish(t.Context(), m, nil, a.Record))
	if a = b.resume(d, true); a.Text != "Done." || len(a.Files) != 0 {
		t.Errorf("then %q with %+v", a.Text, a.Files)
	}
}

func TestFilesOfToolsAreBounded(t *testing.T) {
	tr := (&Agent{o: withDefaults(Options{})}).newTurn(chat.Message{}, input{}, false)
	big := make([]byte, maxAttachedBytes/2)
	tr.tools.give([]chat.File{{Data: big}, {Data: big}, {Data: []byte{1}}})
	if len(tr.report.files) != 2 {
		t.Errorf("%d files", len(tr.report.files))
	}
	tr = tr.a.newTurn(chat.Message{}, input{}, false)
	tr.tools.give(make([]chat.File, 20))
	if len(tr.report.files) != maxAttached || tr.trust.origin.Via&provenance.ViaPicture != 0 {
		t.Errorf("%d files", len(tr.report.files))
	}
}
