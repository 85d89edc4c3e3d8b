package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory"
	"parley/internal/text"
	"parley/internal/tools"
)

// Files is what can be done with what people attach; the zero value opens
// nothing.
type Files struct {
	// Open reads an attachment of m of at most limit bytes; its errors are
	// chat.Fetcher's.
	Open func(ctx context.Context, m chat.Message, f chat.File, limit int64) ([]byte, error)
	// See says that the model takes images.
	See bool
	// Hear writes down what is said in a recording; name ends as its format
	// does. nil is deaf.
	Hear func(ctx context.Context, name string, audio []byte) (string, error)
	// ReadPDF returns a PDF's text. It must bound time and memory whatever the
	// PDF holds. nil reads none.
	ReadPDF func(ctx context.Context, pdf []byte) (string, error)
}

// How much of what people attach is opened (promises.md C55-C57).
const (
	maxFiles    = 4 // of one message
	maxFile     = 20 << 20
	maxImage    = 10 << 20
	maxFileText = 100 << 10 // runes of all files of a message; less where the model's window is small
	maxReaders  = 4         // messages whose files are held in memory at once, over all conversations
	openTimeout = 30 * time.Second
	waitReaders = 20 * time.Second
)

// voiceMark stands before words that were spoken.
const voiceMark = "[voice] "

// attachments is what a turn got out of the files of its message.
type attachments struct {
	images []llm.Image
	notes  []string // what the transcript says of each file, its text included
	said   []string // what the author spoke
	sorry  []string // sentences for the person about what was not used
	used   int      // files of which anything was
	room   int      // runes of text that still fit
	via    memory.Via
}

// attach opens the files. What cannot be used costs a sentence, never the
// answer; the error is ctx's end. done is to be called when the turn is over.
func (t *turn) attach(ctx context.Context) (done func(), err error) {
	files := t.m.Files
	if len(files) == 0 {
		return func() {}, nil
	}
	f := &t.in.files
	if len(files) > maxFiles {
		files = files[:maxFiles]
		f.sorry = append(f.sorry, fmt.Sprintf(wordsManyFiles, maxFiles))
	}
	select {
	case t.a.readers <- struct{}{}:
		done = func() { <-t.a.readers }
	case <-time.After(waitReaders):
		f.sorry = append(f.sorry, wordsFilesBusy)
		return func() {}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	f.room = min(maxFileText, 2*t.a.limit()) // half of the tokens, four runes each
	for _, file := range files {
		if sorry := t.take(ctx, file); sorry != "" {
			f.notes = append(f.notes, "[file: "+fileName(file)+", not opened]")
			if !file.Voice {
				f.via |= memory.ViaFile // its name
			}
			f.sorry = append(f.sorry, fmt.Sprintf(sorry, fileName(file)))
			continue
		}
		f.used++
	}
	if len(f.images) == 0 { // text is small; images are held until the model has answered
		done()
		done = func() {}
	}
	if ctx.Err() != nil {
		done()
		return nil, context.Cause(ctx)
	}
	t.heed()
	return done, nil
}

// heed makes what was spoken the author's words, and the sentences a notice.
func (t *turn) heed() {
	f := &t.in.files
	for _, s := range f.said {
		t.in.text = strings.TrimSpace(t.in.text + "\n" + voiceMark + s)
	}
	if utf8.RuneCountInString(t.in.text) > maxUsed {
		t.in.text = text.Clip(t.in.text, maxUsed)
		t.in.notice = wordsCut
	}
	t.in.notice = strings.TrimSpace(t.in.notice + "\n\n" + strings.Join(f.sorry, "\n"))
}

// take opens one file and keeps what is of use. sorry has %s for its name.
func (t *turn) take(ctx context.Context, f chat.File) (sorry string) {
	o := &t.a.o.Files
	limit := int64(maxFile)
	switch declared, _, _ := strings.Cut(f.MIME, "/"); {
	case o.Open == nil:
		return wordsFileKind
	case declared == "image" && !o.See:
		return wordsBlind
	case (declared == "audio" || f.Voice) && o.Hear == nil:
		return wordsDeaf
	case declared == "video":
		return wordsFileKind
	case declared == "image":
		limit = maxImage
	}
	opening, cancel := context.WithTimeout(ctx, openTimeout)
	data, err := o.Open(opening, t.m, f, limit)
	cancel()
	switch {
	case errors.Is(err, chat.ErrFileTooLarge):
		return fmt.Sprintf(wordsFileTooLarge, limit>>20)
	case errors.Is(err, chat.ErrFileGone):
		return wordsFileGone
	case err != nil:
		t.a.o.Log.Warn("open attachment", "conversation", t.m.Key.String(), "err", err)
		return wordsFileLost
	case len(data) == 0:
		return wordsFileEmpty
	}
	switch kind, mime := sniff(f, data); kind {
	case kindImage:
		return t.takeImage(mime, data)
	case kindAudio:
		return t.takeSpeech(ctx, f, mime, data)
	case kindPDF:
		return t.takePDF(ctx, f, data)
	case kindText:
		return t.takeText(f, string(data))
	case kindFake:
		return wordsFileFake
	}
	return wordsFileKind
}

func (t *turn) takeImage(mime string, data []byte) (sorry string) {
	switch w, h, ok := imageSize(mime, data); {
	case !t.a.o.Files.See:
		return wordsBlind
	case len(data) > maxImage:
		return fmt.Sprintf(wordsFileTooLarge, maxImage>>20)
	case !ok:
		return wordsImageBroken
	case w > maxSide || h > maxSide || w*h > maxPixels:
		return wordsImageHuge
	}
	t.in.files.images = append(t.in.files.images, llm.Image{MIME: mime, Data: data})
	t.in.files.notes = append(t.in.files.notes, imageNote)
	t.in.files.via |= memory.ViaPicture // what is written in it
	return ""
}

// imageNote is all that is stored of an image; it decides nothing.
const imageNote = "[image]"

func (t *turn) takeSpeech(ctx context.Context, f chat.File, mime string, data []byte) (sorry string) {
	hear := t.a.o.Files.Hear
	switch {
	case hear == nil:
		return wordsDeaf
	case speechLength(mime, data) > maxSpeech:
		return wordsSpeechLong
	}
	text, err := hear(ctx, "audio"+audioForms[mime], data)
	text = strings.TrimSpace(clean(text))
	switch {
	case err != nil:
		t.a.o.Log.Warn("write down speech", "conversation", t.m.Key.String(), "err", err)
		return wordsNotHeard
	case text == "":
		return wordsFileEmpty
	case f.Voice:
		t.in.files.said = append(t.in.files.said, text)
		t.in.files.via |= memory.ViaVoice
		return ""
	}
	return t.takeText(f, text)
}

func (t *turn) takePDF(ctx context.Context, f chat.File, data []byte) (sorry string) {
	if t.a.o.Files.ReadPDF == nil {
		return wordsFileKind
	}
	text, err := t.a.o.Files.ReadPDF(ctx, data)
	if err != nil {
		t.a.o.Log.Warn("read PDF", "conversation", t.m.Key.String(), "err", err)
		return wordsPDFBroken
	}
	return t.takeText(f, text)
}

// takeText keeps a file's text: data from outside, which may want to instruct.
func (t *turn) takeText(f chat.File, content string) (sorry string) {
	content = strings.TrimSpace(clean(text.Clip(content, 2*maxFileText))) // most of a huge file is not even cleaned
	used := text.Clip(content, t.in.files.room)
	name := fileName(f)
	switch {
	case content == "":
		return wordsFileEmpty
	case used == "":
		return wordsFileFull
	case len(used) < len(content):
		t.in.files.sorry = append(t.in.files.sorry, fmt.Sprintf(wordsFileCut, name))
		name += ", its beginning"
	}
	t.in.files.room -= utf8.RuneCountInString(used)
	t.in.files.notes = append(t.in.files.notes, "[file: "+name+"]\n"+fileData(used))
	t.in.files.via |= memory.ViaFile
	return ""
}

// fileMark would close, or open, the marks that a file's text stands between.
var fileMark = regexp.MustCompile(`(?i)<(\s*/?\s*data)`)

// fileData is the text of a file between marks that the model knows.
func fileData(text string) string {
	return "<data>\n" + fileMark.ReplaceAllString(text, "‹$1") + "\n</data>"
}

// ofOurs says that an entry holds what a tool took from memory or notes.
func (t *turn) ofOurs(e memory.Entry) bool {
	spec, ok := t.tools.set.Lookup(e.Name)
	return ok && e.Role == llm.RoleTool && spec.Category != tools.Web && spec.Category != tools.About
}

func fileName(f chat.File) string {
	if name := plain(f.Name); name != "" {
		return name
	}
	return "the file"
}

// blind takes the images out of the turn: the model refused them.
func (t *turn) blind() {
	t.in.files.images = nil
	t.in.notice = strings.TrimSpace(t.in.notice + "\n\n" + wordsImageRefused)
	for i, note := range t.in.files.notes {
		if note == imageNote {
			t.in.files.notes[i] = "[image, not opened]"
		}
	}
	t.context.added[0] = t.heard()
}
