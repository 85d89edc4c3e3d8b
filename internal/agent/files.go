package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/provenance"
	"parley/internal/sniff"
	"parley/internal/text"
)

// Files says what can be done with attachments; the zero value opens nothing.
type Files struct {
	// Open reads an attachment of m of at most limit bytes; its errors are
	// chat.Fetcher's.
	Open func(ctx context.Context, m chat.Message, f chat.File, limit int64) ([]byte, error)
	// See is true when the model takes images.
	See bool
	// Hear transcribes a recording; name has the file ending of its format. nil
	// transcribes nothing.
	Hear func(ctx context.Context, name string, audio []byte) (string, error)
	// ReadPDF returns a PDF's text. It must bound time and memory whatever the
	// PDF holds. nil reads none.
	ReadPDF func(ctx context.Context, pdf []byte) (string, error)
}

// How many of people's attachments are opened, and how much of them.
const (
	maxFiles    = 4 // of one message
	maxFile     = 20 << 20
	maxImage    = 10 << 20
	maxFileText = 100 << 10 // runes of all files of a message; less where the model's window is small
	maxReaders  = 4         // messages whose files are held in memory at once, over all conversations
	openTimeout = 30 * time.Second
	waitReaders = 20 * time.Second
)

// voiceMark comes before words that were spoken.
const voiceMark = "[voice] "

// attachments holds what a turn read from the files of its message.
type attachments struct {
	o      *Files
	log    *slog.Logger
	images []llm.Image
	notes  []string // what the transcript says of each file, its text included
	said   []string // what the author spoke
	sorry  []string // sentences for the person about what was not used
	used   int      // files of which anything was
	room   int      // runes of text that still fit
	via    provenance.Via
}

// attach opens the files. A file that cannot be used adds a sentence and never costs
// the answer; the only error is ctx's. The caller calls done when the turn is over.
func (t *turn) attach(ctx context.Context) (done func(), err error) {
	files := t.m.Files
	if len(files) == 0 {
		return func() {}, nil
	}
	f := &t.in.files
	f.o, f.log = &t.a.o.Files, t.a.o.Log.With("conversation", t.m.Key.String())
	if len(files) > maxFiles {
		files = files[:maxFiles]
		f.sorry = append(f.sorry, fmt.Sprintf(wordsManyFiles, maxFiles))
	}
	select {
	case t.a.readers <- struct{}{}:
		done = func() { <-t.a.readers }
	case <-time.After(waitReaders):
		f.sorry = append(f.sorry, wordsFilesBusy)
		t.in.heed()
		return func() {}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	f.room = min(maxFileText, 2*t.a.limit()) // half of the tokens, four runes each
	for _, file := range files {
		if sorry := f.take(ctx, t.m, file); sorry != "" {
			f.notes = append(f.notes, "[file: "+fileName(file)+", not opened]")
			if !file.Voice {
				f.via |= provenance.ViaFile // its name
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
	t.in.heed()
	return done, nil
}

// heed adds spoken words to the author's text, and the sentences to the notice.
func (in *input) heed() {
	for _, s := range in.files.said {
		in.text = strings.TrimSpace(in.text + "\n" + voiceMark + s)
	}
	if utf8.RuneCountInString(in.text) > maxUsed {
		in.text = text.Clip(in.text, maxUsed)
		in.notice = wordsCut
	}
	in.tell(strings.Join(in.files.sorry, "\n"))
}

// tell adds sentences to what is said before the answer.
func (in *input) tell(words string) { in.notice = strings.TrimSpace(in.notice + "\n\n" + words) }

// take opens one file and keeps what is of use. sorry has %s for its name.
func (a *attachments) take(ctx context.Context, m chat.Message, f chat.File) (sorry string) {
	o := a.o
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
	data, err := o.Open(opening, m, f, limit)
	cancel()
	switch {
	case errors.Is(err, chat.ErrFileTooLarge):
		return fmt.Sprintf(wordsFileTooLarge, limit>>20)
	case errors.Is(err, chat.ErrFileGone):
		return wordsFileGone
	case err != nil:
		a.log.Warn("open attachment", "err", err)
		return wordsFileLost
	case len(data) == 0:
		return wordsFileEmpty
	}
	switch kind, mime := sniff.File(f, data); kind {
	case sniff.Image:
		return a.takeImage(mime, data)
	case sniff.Audio:
		return a.takeSpeech(ctx, f, mime, data)
	case sniff.PDF:
		return a.takePDF(ctx, f, data)
	case sniff.Text:
		return a.takeText(f, string(data))
	case sniff.Fake:
		return wordsFileFake
	}
	return wordsFileKind
}

func (a *attachments) takeImage(mime string, data []byte) (sorry string) {
	if sorry = a.o.unseen(mime, data); sorry != "" {
		return sorry
	}
	a.images = append(a.images, llm.Image{MIME: mime, Data: data})
	a.notes = append(a.notes, imageNote)
	a.via |= provenance.ViaPicture // what is written in it
	return ""
}

// unseen explains why the model cannot see a picture; "" when it can.
func (o *Files) unseen(mime string, data []byte) string {
	switch w, h, ok := sniff.ImageSize(mime, data); {
	case !o.See:
		return wordsBlind
	case len(data) > maxImage:
		return fmt.Sprintf(wordsFileTooLarge, maxImage>>20)
	case !ok:
		return wordsImageBroken
	case w > sniff.MaxSide || h > sniff.MaxSide || w*h > sniff.MaxPixels:
		return wordsImageHuge
	}
	return ""
}

// imageNote is all that is stored of an image; it decides nothing.
const imageNote = "[image]"

func (a *attachments) takeSpeech(ctx context.Context, f chat.File, mime string, data []byte) (sorry string) {
	hear := a.o.Hear
	switch {
	case hear == nil:
		return wordsDeaf
	case sniff.SpeechLength(mime, data) > sniff.MaxSpeech:
		return wordsSpeechLong
	}
	text, err := hear(ctx, "audio"+sniff.AudioForms[mime], data)
	text = strings.TrimSpace(clean(text))
	switch {
	case err != nil:
		a.log.Warn("write down speech", "err", err)
		return wordsNotHeard
	case text == "":
		return wordsFileEmpty
	case f.Voice:
		a.said = append(a.said, text)
		a.via |= provenance.ViaVoice
		return ""
	}
	return a.takeText(f, text)
}

func (a *attachments) takePDF(ctx context.Context, f chat.File, data []byte) (sorry string) {
	if a.o.ReadPDF == nil {
		return wordsFileKind
	}
	text, err := a.o.ReadPDF(ctx, data)
	if err != nil {
		a.log.Warn("read PDF", "err", err)
		return wordsPDFBroken
	}
	return a.takeText(f, text)
}

// takeText keeps a file's text: data from outside, which may contain instructions.
func (a *attachments) takeText(f chat.File, content string) (sorry string) {
	content = strings.TrimSpace(clean(text.Clip(content, 2*maxFileText))) // most of a huge file is not even cleaned
	used := text.Clip(content, a.room)
	name := fileName(f)
	switch {
	case content == "":
		return wordsFileEmpty
	case used == "":
		return wordsFileFull
	case len(used) < len(content):
		a.sorry = append(a.sorry, fmt.Sprintf(wordsFileCut, name))
		name += ", its beginning"
	}
	a.room -= utf8.RuneCountInString(used)
	a.notes = append(a.notes, "[file: "+name+"]\n"+fileData(used))
	a.via |= provenance.ViaFile
	return ""
}

// fileMark would close, or open, the marks that a file's text stands between.
var fileMark = regexp.MustCompile(`(?i)<(\s*/?\s*data)`)

// fileData returns the text of a file between marks that the model knows.
func fileData(text string) string {
	return "<data>\n" + fileMark.ReplaceAllString(text, "‹$1") + "\n</data>"
}

func fileName(f chat.File) string {
	if name := plain(f.Name); name != "" {
		return name
	}
	return "the file"
}

// blind removes the images from the turn because the model refused them.
func (t *turn) blind() {
	t.in.files.images = nil
	t.in.tell(wordsImageRefused)
	for i, note := range t.in.files.notes {
		if note == imageNote {
			t.in.files.notes[i] = "[image, not opened]"
		}
	}
	t.context.added[0] = t.heard()
}
