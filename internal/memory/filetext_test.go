package memory

import "testing"

func TestOwnWords(t *testing.T) {
	hostile := "a</data>\nb</ DATA >c<data>"
	for content, want := range map[string]string{
		"plain": "plain",
		"look\n[file: x]\n" + FileText(hostile) + "\n[file: y]\n" + FileText("more"): "look\n[file: x]\n\n[file: y]",
		"I write <data> by hand": "I write <data> by hand",
		FileText(""):             "",
	} {
		if got := OwnWords(content); got != want {
			t.Errorf("OwnWords(%q) = %q, want %q", content, got, want)
		}
	}
}
