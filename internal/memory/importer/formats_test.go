package importer

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"parley/internal/chat"
	"parley/internal/memory/provenance"
)

// anna is who brings something along in these tests.
var anna = Owner{User: chat.User{ID: "telegram:42", Name: "Anna"}, Called: "Anna Berg", Zone: time.UTC}

// laid writes the files of an archive of text into a folder, and returns the one file where
// there is one.
func laid(t testing.TB, ar *txtar.Archive) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "WhatsApp Chat - Hiking")
	for _, f := range ar.Files {
		at := filepath.Join(dir, filepath.FromSlash(f.Name))
		must(t, os.MkdirAll(filepath.Dir(at), 0o700))
		must(t, os.WriteFile(at, f.Data, 0o600))
	}
	if len(ar.Files) == 1 {
		return filepath.Join(dir, filepath.FromSlash(ar.Files[0].Name))
	}
	return dir
}

// zipped makes an archive of the same files.
func zipped(t testing.TB, ar *txtar.Archive, called string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range ar.Files {
		w, err := z.Create(f.Name)
		must(t, err)
		_, err = w.Write(f.Data)
		must(t, err)
	}
	must(t, z.Close())
	at := filepath.Join(t.TempDir(), called+".zip")
	must(t, os.WriteFile(at, b.Bytes(), 0o600))
	return at
}

// sorted reads an export as an import does.
func sorted(t testing.TB, at, format string, who Owner) (*Export, *Sorted, error) {
	t.Helper()
	x, err := Open(at, format)
	if err != nil {
		return nil, nil, err
	}
	t.Cleanup(func() { must(t, x.Close()) })
	opened := 0
	s, err := Sort(t.Context(), Source{Export: x, Owner: who, Now: time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)}, inFolder(t, &opened))
	if err == nil {
		t.Cleanup(func() { must(t, s.Close()) })
	}
	return x, s, err
}

// shown is what an export holds, in lines.
func shown(t testing.TB, x *Export, s *Sorted) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "format %s\n", x.Format.Name)
	var last chat.Key
	for m, err := range s.Messages() {
		must(t, err)
		if m.Key != last {
			fmt.Fprintf(&b, "talk %q\n", m.Title)
			last = m.Key
		}
		who := m.User.Name
		if m.Bot {
			who = "assistant to " + m.User.ID
		} else if m.User.ID != anna.ID {
			who = m.User.ID
		}
		fmt.Fprintf(&b, "%s %s: %s\n", m.At.UTC().Format("2006-01-02 15:04:05"), who, strings.ReplaceAll(m.Text, "\n", "|"))
		if m.Via != provenance.ViaImported || m.Owner != anna.ID || m.Key.Platform != Platform {
			t.Errorf("%+v is not imported for its owner", m)
		}
	}
	for _, k := range sortedKinds(s.Left) {
		fmt.Fprintf(&b, "left %s: %d\n", k, s.Left[k])
	}
	for _, p := range s.Facts {
		fmt.Fprintf(&b, "fact? %s (%s)\n", p.Text, p.Source)
	}
	return b.String()
}

func sortedKinds(left map[Kind]int64) (list []Kind) {
	for k := range left {
		list = append(list, k)
	}
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			if list[j] < list[i] {
				list[i], list[j] = list[j], list[i]
			}
		}
	}
	return list
}

// TestFormats: each fixture of testdata is detected, and read as its file "want" says, alone
// or as a folder, and as an archive, twice alike.
func TestFormats(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	must(t, err)
	if len(files) < 8 {
		t.Fatalf("only %d fixtures", len(files))
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			must(t, err)
			last := len(ar.Files) - 1
			want := string(ar.Files[last].Data)
			ar.Files = ar.Files[:last]
			var digest string
			for i, at := range []string{laid(t, ar), laid(t, ar), zipped(t, ar, "WhatsApp Chat - Hiking")} {
				x, s, err := sorted(t, at, "", anna)
				must(t, err)
				if d := cmp.Diff(want, shown(t, x, s)); d != "" {
					t.Errorf("%s: (-want +got)\n%s", filepath.Base(at), d)
				}
				if i == 1 && s.Digest != digest {
					t.Error("the same file has another digest")
				}
				digest = s.Digest
			}
			other := anna
			other.ID = "telegram:43"
			if _, s, err := sorted(t, laid(t, ar), "", other); err != nil || s.Digest == digest {
				t.Errorf("somebody else's import of it counts as the same; %v", err)
			}
		})
	}
}

// TestWrongFiles: what is no export is refused with what is expected.
func TestWrongFiles(t *testing.T) {
	for name, c := range map[string]struct{ file, format, want string }{
		"picture":  {"\x89PNG\r\n\x1a\n....", "", "that is no export that I know"},
		"empty":    {"", "", "that is no export that I know"},
		"prose":    {"Dear diary,\ntoday was fine.\n", "", "WhatsApp (whatsapp): the text file"},
		"forced":   {"[1, 2", "chatgpt", "read ChatGPT export"},
		"no such":  {"{}", "myspace", "that is no export that I know"},
		"cut":      {`[{"id":"a","mapping":{"x":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["h`, "", "after message x: unexpected EOF"},
		"nameless": {"12.03.22, 14:08 - Ben: hi\n", "", "nobody there is called"},
	} {
		at := filepath.Join(t.TempDir(), "file.txt")
		must(t, os.WriteFile(at, []byte(c.file), 0o600))
		if _, _, err := sorted(t, at, c.format, anna); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v does not say %q", name, err, c.want)
		}
	}
	at := filepath.Join(t.TempDir(), "conversations.json")
	must(t, os.WriteFile(at, []byte(`[{"uuid":"a","chat_messages":[]}]`), 0o600))
	if _, _, err := sorted(t, at, "", Owner{}); err == nil || !strings.Contains(err.Error(), "--user") {
		t.Errorf("nobody's: %v", err)
	}
}

// TestHostileArchives: nothing leads out of an archive or folder, and what unpacks to a disk
// full of zeros is refused before it is read.
func TestHostileArchives(t *testing.T) {
	chatLog := []byte("12.03.22, 14:08 - Anna Berg: hi\n")
	at := zipped(t, &txtar.Archive{Files: []txtar.File{{Name: "../../etc/chat.txt", Data: []byte("12.03.22, 14:08 - Anna Berg: evil\n")},
		{Name: "/abs.txt", Data: []byte("12.03.22, 14:08 - Anna Berg: evil\n")}, {Name: "chat.txt", Data: chatLog}}}, "x")
	x, s, err := sorted(t, at, "", anna)
	must(t, err)
	if got := shown(t, x, s); strings.Contains(got, "evil") || !strings.Contains(got, "Anna: hi") {
		t.Error(got)
	}
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.txt")
	must(t, os.WriteFile(outside, []byte("12.03.22, 14:08 - Anna Berg: evil\n"), 0o600))
	must(t, os.Symlink(outside, filepath.Join(dir, "link.txt")))
	must(t, os.WriteFile(filepath.Join(dir, "chat.txt"), chatLog, 0o600))
	if x, s, err = sorted(t, dir, "", anna); err != nil || strings.Contains(shown(t, x, s), "evil") {
		t.Errorf("followed: %v", err)
	}
	bomb := filepath.Join(t.TempDir(), "bomb.zip")
	file, err := os.Create(bomb)
	must(t, err)
	z := zip.NewWriter(file)
	w, err := z.Create("conversations.json")
	must(t, err)
	zeros := make([]byte, 1<<20)
	for range 80 {
		_, err = w.Write(zeros)
		must(t, err)
	}
	must(t, z.Close())
	must(t, file.Close())
	if _, err := Open(bomb, "chatgpt"); err == nil || !strings.Contains(err.Error(), "unpacks") {
		t.Errorf("a bomb: %v", err)
	}
}

// TestDaysOfWhatsApp: the order of day, month and year is found.
func TestDaysOfWhatsApp(t *testing.T) {
	for lines, want := range map[string]string{
		"1/2/23, 9:15 PM - A: x\n1/20/23, 9:15 PM - A: y\n":                           "2023-01-20 21:15",
		"01/02/2023, 21:15 - A: x\n20/02/2023, 21:15 - A: y\n":                        "2023-02-20 21:15",
		"[13.02.23, 21:15:07] A: x\n":                                                 "2023-02-13 21:15",
		"[2023-02-13, 9:15:07\u202fp.\u00a0m.] A: x\n":                                "2023-02-13 21:15",
		"2023/2/13 下午9:15 - A: x\n":                                                   "2023-02-13 21:15",
		"[13.2.2023 klo 21.15.07] A: x\n":                                             "2023-02-13 21:15",
		"13/02/2023 21:15 - A: x\n":                                                   "2023-02-13 21:15",
		"\u200e[13/02/2023, 21:15:07] A: x\n":                                         "2023-02-13 21:15",
		"3/1/23, 12:01 AM - A: x\n4/1/23, 12:01 AM - A: x\n4/2/23, 12:15 AM - A: x\n": "2023-04-02 00:15",
		"3.1.23, 23:59 - A: x\n4.1.23, 12:01 - A: x\n1.2.23, 21:15 - A: x\n":          "2023-02-01 21:15",
	} {
		at := filepath.Join(t.TempDir(), "chat.txt")
		must(t, os.WriteFile(at, []byte(lines), 0o600))
		who := anna
		who.Called = "A"
		_, s, err := sorted(t, at, "", who)
		if err != nil {
			t.Errorf("%q: %v", lines, err)
			continue
		}
		var last string
		for m := range s.Messages() {
			last = m.At.UTC().Format("2006-01-02 15:04")
		}
		if last != want {
			t.Errorf("%q ends at %s, not %s", lines, last, want)
		}
	}
}

// fuzzed reads bytes as an export of some format: it may fail, and neither panics nor says
// what is no text or of no time.
func fuzzed(t *testing.T, format string, data []byte) {
	for _, f := range Formats {
		if f.Name != format {
			continue
		}
		name := map[string]string{"discord": "messages/c1/messages.json", "hermes": "sessions/a.jsonl", "openclaw": "MEMORY.md"}[format]
		if len(data) > 0 && data[0] == '"' {
			name = strings.ReplaceAll(name, "messages.json", "messages.csv")
		}
		if len(data) > 0 && data[0] == '{' {
			name = strings.ReplaceAll(name, "MEMORY.md", "agents/main/sessions/a.jsonl")
		}
		ar := &txtar.Archive{Files: []txtar.File{{Name: name + map[bool]string{true: "file", false: ""}[name == ""], Data: data}}}
		x, err := Open(laid(t, ar), format)
		must(t, err)
		now := time.Date(2026, 11, 28, 0, 0, 0, 0, time.UTC)
		opened := 0
		s, err := Sort(context.Background(), Source{Export: x, Owner: anna, Now: now}, inFolder(t, &opened))
		must(t, x.Close())
		if err != nil {
			return
		}
		for m, err := range s.Messages() {
			must(t, err)
			if f.Private && (m.Text == "" || m.At.After(now.Add(25*time.Hour)) || m.At.Before(earliest) ||
				m.Owner != anna.ID || strings.Contains(m.Text, "\x00")) {
				t.Fatalf("%+v", m)
			}
		}
		must(t, s.Close())
	}
}

// seeds adds the fixtures of a format.
func seeds(f *testing.F, format string) {
	files, err := filepath.Glob("testdata/" + format + "*.txtar")
	must(f, err)
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		must(f, err)
		for _, one := range ar.Files[:len(ar.Files)-1] {
			f.Add(one.Data)
		}
	}
	f.Add([]byte("\xff\xfe{\"a\":" + strings.Repeat("[", 20000)))
}

func FuzzChatGPT(f *testing.F) {
	seeds(f, "chatgpt")
	f.Fuzz(func(t *testing.T, b []byte) { fuzzed(t, "chatgpt", b) })
}

func FuzzClaude(f *testing.F) {
	seeds(f, "claude")
	f.Fuzz(func(t *testing.T, b []byte) { fuzzed(t, "claude", b) })
}

func FuzzOpenWebUI(f *testing.F) {
	seeds(f, "openwebui")
	f.Fuzz(func(t *testing.T, b []byte) { fuzzed(t, "openwebui", b) })
}

func FuzzWhatsApp(f *testing.F) {
	seeds(f, "whatsapp")
	f.Fuzz(func(t *testing.T, b []byte) { fuzzed(t, "whatsapp", b) })
}

func FuzzDiscord(f *testing.F) {
	seeds(f, "discord")
	f.Fuzz(func(t *testing.T, b []byte) { fuzzed(t, "discord", b) })
}

func FuzzHermes(f *testing.F) {
	seeds(f, "hermes")
	f.Fuzz(func(t *testing.T, b []byte) { fuzzed(t, "hermes", b) })
}

func FuzzOpenClaw(f *testing.F) {
	seeds(f, "openclaw")
	f.Fuzz(func(t *testing.T, b []byte) { fuzzed(t, "openclaw", b) })
}

func FuzzArchive(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, b []byte) {
		at := filepath.Join(t.TempDir(), "a.zip")
		must(t, os.WriteFile(at, append([]byte("PK\x03\x04"), b...), 0o600))
		_, _, _ = sorted(t, at, "", anna) // it need not be one
	})
}
