package main

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"parley/internal/adapters/discord/discordtest"
	"parley/internal/adapters/telegram/telegramtest"
	"parley/internal/llm/llmtest"
	"parley/internal/notes/document/pdf"
	"parley/internal/text/waittest"
)

// makePDF returns a PDF of pages that are content streams, packed.
func makePDF(pages ...string) []byte {
	var b bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.4\n")
	kids := ""
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", 4+2*i)
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(pages))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, p := range pages {
		var packed bytes.Buffer
		z := zlib.NewWriter(&packed)
		_, _ = z.Write([]byte(p))
		_ = z.Close()
		object("<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i)
		object("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", packed.Len(), packed.String())
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return b.Bytes()
}

func TestPDF(t *testing.T) {
	t.Parallel()
	page := "BT /F1 12 Tf 72 700 Td [(He) 20 (llo) -300 (there)] TJ 0 -14 Td (second line) Tj ET"
	many := make([]string, 60)
	for i := range many {
		many[i] = fmt.Sprintf("BT /F1 12 Tf (page %d) Tj ET", i+1)
	}
	text, err := pdf.Read(t.Context(), makePDF(page, "broken ( page", many[0]))
	if err != nil || !strings.Contains(text, "Hello there\nsecond line") || !strings.Contains(text, "page 1") {
		t.Errorf("read %q, %v", text, err)
	}
	text, err = pdf.Read(t.Context(), makePDF(many...))
	if err != nil || !strings.HasPrefix(text, "(pages 1 to 50 of 60)") || !strings.Contains(text, "page 50") ||
		strings.Contains(text, "page 51") {
		t.Errorf("read %q, %v", text, err)
	}
	if text, err = pdf.Read(t.Context(), makePDF("BT "+strings.Repeat("(xxxxxxxxxxxxxxxxxxxx) Tj ", 50_000))); err != nil ||
		len(text) > 400<<10+1 {
		t.Errorf("read %d bytes, %v", len(text), err)
	}
	for what, data := range map[string][]byte{
		"empty": {}, "cut": makePDF(page)[:200], "junk": []byte("%PDF-1.4\n" + strings.Repeat("junk ", 1000)),
		"locked": bytes.Replace(makePDF(page), []byte("/Root"), []byte("/Encrypt << /Filter /X >> /Root"), 1),
	} {
		if text, err := pdf.Read(t.Context(), data); err == nil {
			t.Errorf("%s: read %q", what, text)
		}
	}
}

// TestPDFThatNeverEnds has a tree of pages that is its own branch.
func TestPDFThatNeverEnds(t *testing.T) {
	t.Parallel()
	data := bytes.Replace(makePDF("x"), []byte("/Kids [4 0 R ]"), []byte("/Kids [2 0 R ]"), 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := pdf.Read(ctx, data); err == nil || ctx.Err() == nil {
		t.Errorf("ended: %v", err)
	}
}

// seeing adds eyes and ears to the bot.
func (w *world) seeing() *world {
	w.env = append(w.env, "BOT_MODEL_IMAGES=true", "BOT_MODEL_TRANSCRIPTION=whisper-1")
	return w
}

func testImage(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))))
	return b.Bytes()
}

// send puts a file on Telegram and sends it.
func (w *world) send(kind, id, caption string, data []byte) {
	w.tg.AddFile(id, telegramtest.File{Data: data})
	u := telegramtest.Text(7, 7, "")
	m := u.Message
	m.Caption = caption
	about := json.RawMessage(
		fmt.Sprintf(`{"file_id":%q,"file_unique_id":%q,"file_name":%q,"width":4,"height":4,"duration":1,"file_size":%d}`, id, id, id, len(data)))
	switch kind {
	case "photo":
		m.Photo = json.RawMessage("[" + string(about) + "]")
	case "voice":
		m.Voice = about
	default:
		m.Document = about
	}
	w.tg.Push(u)
}

var sound = append([]byte("OggS\x00\x02"), make([]byte, 60)...)

func TestTelegramFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t).seeing()
	w.run(t)
	w.llm.Hear(func(r llmtest.Recording) string {
		if r.Model != "whisper-1" || r.Name != "audio.ogg" || !bytes.Equal(r.Audio, sound) {
			return ""
		}
		return "what time is it"
	})
	img := testImage(t)
	for i, c := range []struct {
		kind, id, caption string
		data              []byte
		told, said        string
	}{
		{"photo", "photo", "what is this?", img, base64.StdEncoding.EncodeToString(img), ""},
		{"voice", "voice", "", sound, "[voice] what time is it", ""},
		{"document", "plan.md", "sum it up", []byte("# The plan"), "<data>\\n# The plan\\n</data>", ""},
		{"document", "a.pdf", "and this", makePDF("BT /F1 12 Tf (Dear Ann) Tj ET"), "Dear Ann", ""},
		{"document", "a.zip", "hello", []byte("PK\x03\x04\x00"), "not opened", "I don't know that kind"},
		{"document", "huge.txt", "hello", bytes.Repeat([]byte("x"), 20<<20+1), "not opened", "larger than 20 MB"},
		{"document", "gone.txt", "hello", nil, "not opened", "no longer there"},
	} {
		w.llm.Queue(llmtest.Turn{Text: "answer"})
		w.send(c.kind, c.id, c.caption, c.data)
		got := w.sent(t, i+1)[i]
		if !strings.HasSuffix(got, "answer") || !strings.Contains(got, c.said) || (c.said == "") != (got == "answer") {
			t.Errorf("%s: said %q", c.id, got)
		}
		raw := w.llm.Requests()[i].Raw
		raw = bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte(`\u003c`), []byte("<")), []byte(`\u003e`), []byte(">"))
		if !bytes.Contains(raw, []byte(c.told)) || bytes.Contains(raw, []byte(w.tg.Token())) {
			t.Errorf("%s: the model was told %.3000s", c.id, raw)
		}
	}
	must(t, w.stop())
	if db, err := os.ReadFile(w.dir + "/bot.db"); err != nil || bytes.Contains(db, img) || bytes.Contains(db, []byte(w.tg.Token())) {
		t.Errorf("the database holds a picture or the token (%v)", err)
	}
}

func TestDiscordFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t).onDiscord().seeing()
	w.serve(t)
	w.llm.Hear(func(llmtest.Recording) string { return "spoken words" })
	img := testImage(t)
	for i, c := range []struct {
		file       discordtest.Attachment
		told, said string
	}{
		{discordtest.Attachment{Name: "a.png", MIME: "image/png", Data: img}, base64.StdEncoding.EncodeToString(img), ""},
		{discordtest.Attachment{Name: "voice-message.ogg", MIME: "audio/ogg", Data: sound, Voice: true}, "[voice] spoken words", ""},
		{discordtest.Attachment{Name: "talk.ogg", MIME: "audio/ogg", Data: sound}, "[file: talk.ogg]", ""},
		{discordtest.Attachment{Name: "a.txt", MIME: "text/plain; charset=utf-8", Data: []byte("some text")}, "some text", ""},
		{discordtest.Attachment{Name: "old.txt", MIME: "text/plain"}, "not opened", "no longer there"},
		{discordtest.Attachment{Name: "inside.txt", MIME: "text/plain", URL: "http://127.0.0.1:1/metrics"}, "not opened", "could not fetch"},
		{discordtest.Attachment{Name: "else.txt", MIME: "text/plain", URL: "https://evil.example/attachments/1"}, "not opened",
			"could not fetch"},
	} {
		w.llm.Queue(llmtest.Turn{Text: "answer"})
		w.dc.Attach("10", "42", "look", c.file)
		got := w.discordSent(t, i+1)[i].Content
		if !strings.HasSuffix(got, "answer") || !strings.Contains(got, c.said) || (c.said == "") != (got == "answer") {
			t.Errorf("%s: said %q", c.file.Name, got)
		}
		if raw := w.llm.Requests()[i].Raw; !bytes.Contains(raw, []byte(c.told)) || bytes.Contains(raw, []byte("hm=signed")) {
			t.Errorf("%s: the model was told %.3000s", c.file.Name, raw)
		}
	}
}

func TestWithoutEyesAndEars(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.run(t)
	w.send("photo", "p", "", testImage(t))
	w.send("voice", "v", "", sound)
	got := w.sent(t, 2)
	if !strings.Contains(got[0], "not set up for pictures") || !strings.Contains(got[1], "not set up for speech") ||
		len(w.llm.Requests()) != 0 {
		t.Errorf("said %q after %d model calls", got, len(w.llm.Requests()))
	}
	for _, c := range w.tg.Calls("getFile") {
		t.Errorf("fetched what is of no use: %+v", c)
	}
}

// BenchmarkFileFlood is a hundred people who each send a file of 19.9 MB at
// once: all are answered, and few files are in memory at any moment.
func BenchmarkFileFlood(b *testing.B) {
	const people, most = 100, 400 << 20
	data := bytes.Repeat([]byte("words of a long file\n"), 19_900_000/21)
	for range b.N {
		w := newWorld(b)
		cmd := w.startAndPoll(b)
		w.tg.AddFile("f", telegramtest.File{Data: data})
		b.ResetTimer()
		for i := range people {
			u := telegramtest.Text(int64(100+i), int64(100+i), "")
			u.Message.Document = json.RawMessage(fmt.Sprintf(`{"file_id":"f","file_unique_id":"f","file_name":"f.txt","file_size":%d}`, len(data)))
			w.tg.Push(u)
		}
		peak := int64(0)
		if !waittest.Within(2*time.Minute, func() bool {
			peak = max(peak, anonymous(b, cmd.Process.Pid))
			return len(w.tg.Sent()) >= people
		}) {
			b.Fatalf("%d of %d were answered", len(w.tg.Sent()), people)
		}
		b.StopTimer()
		kill(cmd)
		b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
		if peak > most {
			b.Errorf("%d MB at the most", peak>>20)
		}
	}
}

// TestTelegramAlbum: several pictures sent together are looked at together.
func TestTelegramAlbum(t *testing.T) {
	t.Parallel()
	w := newWorld(t).seeing()
	w.run(t)
	img := testImage(t)
	for i, caption := range []string{"which is the best?", "", ""} {
		w.tg.AddFile(fmt.Sprint("p", i), telegramtest.File{Data: img})
		u := telegramtest.Text(7, 7, "")
		u.Message.Caption, u.Message.Album = caption, "13579"
		u.Message.Photo = json.RawMessage(fmt.Sprintf(`[{"file_id":"p%d","file_unique_id":"p%d","width":4,"height":4,"file_size":%d}]`,
			i, i, len(img)))
		w.tg.Push(u)
	}
	w.tg.Push(telegramtest.Text(7, 7, "thanks"))
	w.sent(t, 2)
	requests := w.words()
	if len(requests) != 2 || strings.Count(string(requests[0].Raw), base64.StdEncoding.EncodeToString(img)) != 3 {
		t.Errorf("%d requests, the first with %d pictures", len(requests), strings.Count(string(requests[0].Raw),
			base64.StdEncoding.EncodeToString(img)))
	}
}
