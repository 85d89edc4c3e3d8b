// Package attachments opens the files of a message and turns them into text and pictures for
// a model. It trusts neither a file's name nor its declared kind but goes by its first bytes,
// bounds what it reads, and has a sentence for everything it cannot use. It does not fetch
// files from a platform, and does not decide what a model is shown.
package attachments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/memory/provenance"
	"parley/internal/text"
	"parley/internal/text/catalog"
)

const (
	wordsFileTooLarge = "I can't open %%s: it is larger than %d MB."
	wordsFileEmpty    = "There is nothing in %s that I could read."
	wordsFileKind     = "I can't open %s: I don't know that kind of file."
	wordsBlind        = "I can't look at %s: my model is not set up for pictures."
	wordsFilm         = "I got %s, but I can't watch it. Tell me what is in it, and I will help."
	wordsUnseen       = "I can't look at %s: that is not shown to bots. Tell me what is in it, or send a picture of it."
	wordsDeaf         = "I can't listen to %s: I am not set up for speech."
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

// How many files of a message are opened, and how much of them.
const (
	MaxFiles    = 4
	MaxText     = 100 << 10 // runes of all of them
	MaxFile     = 20 << 20
	MaxImage    = 10 << 20
	maxName     = 64
	openTimeout = 30 * time.Second
)

// Opened is what was read from the files of a message.
type Opened struct {
	Images []llm.Image
	Notes  []string // what the transcript says of each file, its text included
	Said   []string // what the author spoke
	Sorry  []string // sentences for the person about what was not used
	Used   int      // files of which anything was
	Via    provenance.Via

	o     *Files
	log   *slog.Logger
	p     catalog.Printer // the language of who sent them
	room  int             // runes of text that still fit
	shown []int           // the notes of Images
}

// Read opens the files of a message; room is how many runes of their text are
// kept. A file that cannot be used adds a sentence and never costs the rest.
func (o *Files) Read(ctx context.Context, log *slog.Logger, m chat.Message, room int) Opened {
	a := Opened{o: o, p: catalog.Of(ctx), log: log.With("conversation", m.Key.String()), room: min(room, MaxText)}
	files := m.Files
	if len(files) > MaxFiles {
		files = files[:MaxFiles]
		a.Sorry = append(a.Sorry, a.p.Say("I looked at the first %d files only.", MaxFiles))
	}
	unused := map[string][]string{} // names by what is said about them
	var order []string
	for _, file := range files {
		sorry := a.take(ctx, m, file)
		if sorry == "" {
			a.Used++
			continue
		}
		if !file.Voice {
			a.Via |= provenance.ViaFile // its name
		}
		a.Notes = append(a.Notes, noteOf(file)+", not opened]")
		if file.Form == chat.FormSticker {
			continue // its emoji was read
		}
		if unused[sorry] == nil {
			order = append(order, sorry)
		}
		if name := a.named(file); !slices.Contains(unused[sorry], name) {
			unused[sorry] = append(unused[sorry], name)
		}
	}
	for _, sorry := range order { // an album is told of once
		a.Sorry = append(a.Sorry, a.p.Say(sorry, strings.Join(unused[sorry], ", ")))
	}
	return a
}

// Blind removes the pictures because a model refused them, and says so in the notes.
func (a *Opened) Blind() {
	a.Images = nil
	for _, i := range a.shown {
		a.Notes[i] = "[image, not opened]"
	}
	a.shown = nil
}

// take opens one file and keeps what is useful. sorry has %s for its name.
func (a *Opened) take(ctx context.Context, m chat.Message, f chat.File) (sorry string) {
	o := a.o
	limit := int64(MaxFile)
	switch declared, _, _ := strings.Cut(f.MIME, "/"); {
	case f.Form == chat.FormUnseen:
		return wordsUnseen
	case o.Open == nil:
		return wordsFileKind
	case f.Form.Moves(), f.Form == chat.FormSticker && declared == "video":
		return a.takeStill(ctx, m, f)
	case declared == "image" && !o.See:
		return wordsBlind
	case (declared == "audio" || f.Voice) && o.Hear == nil:
		return wordsDeaf
	case declared == "video":
		return wordsFilm
	case declared == "image":
		limit = MaxImage
	}
	data, sorry := a.fetch(ctx, m, f, limit)
	if sorry != "" {
		return sorry
	}
	switch kind, mime := File(f, data); kind {
	case Image:
		return a.takeImage(mime, data)
	case Audio:
		return a.takeSpeech(ctx, f, mime, data)
	case PDF:
		return a.takePDF(ctx, f, data)
	case Text:
		return a.takeText(f, string(data))
	case Fake:
		return "I can't open %s: it is not what it says it is."
	}
	return wordsFileKind
}

// fetch reads a file. sorry has %s for its name.
func (a *Opened) fetch(ctx context.Context, m chat.Message, f chat.File, limit int64) (data []byte, sorry string) {
	opening, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	data, err := a.o.Open(opening, m, f, limit)
	switch {
	case errors.Is(err, chat.ErrFileTooLarge):
		return nil, a.p.Say(wordsFileTooLarge, limit>>20)
	case errors.Is(err, chat.ErrFileGone):
		return nil, "I can't open %s: it is no longer there. Please send it again."
	case err != nil:
		a.log.Warn("open attachment", "err", err)
		return nil, "I could not fetch %s. Please send it again."
	case len(data) == 0:
		return nil, wordsFileEmpty
	}
	return data, ""
}

// takeStill shows the model the picture that stands for a film.
func (a *Opened) takeStill(ctx context.Context, m chat.Message, f chat.File) (sorry string) {
	if !a.o.See || f.Still == "" {
		return wordsFilm
	}
	picture := chat.File{Name: f.Name, MIME: "image/jpeg", Ref: f.Still}
	data, sorry := a.fetch(ctx, m, picture, MaxImage)
	if sorry != "" {
		return wordsFilm
	}
	kind, mime := File(picture, data)
	if kind != Image || a.takeImage(mime, data) != "" {
		return wordsFilm
	}
	a.Notes[len(a.Notes)-1] = noteOf(f) + ": the picture shows how it begins]"
	return ""
}

func (a *Opened) takeImage(mime string, data []byte) (sorry string) {
	if sorry = a.o.Unseen(a.p, mime, data); sorry != "" {
		return sorry
	}
	a.Images = append(a.Images, llm.Image{MIME: mime, Data: data})
	a.shown = append(a.shown, len(a.Notes))
	a.Notes = append(a.Notes, "[image]")
	a.Via |= provenance.ViaPicture // what is written in it
	return ""
}

// Unseen explains in p why the model cannot see a picture; "" when it can.
func (o *Files) Unseen(p catalog.Printer, mime string, data []byte) string {
	switch w, h, ok := ImageSize(mime, data); {
	case !o.See:
		return wordsBlind
	case len(data) > MaxImage:
		return p.Say(wordsFileTooLarge, MaxImage>>20)
	case !ok:
		return "I can't look at %s: the picture is damaged."
	case w > MaxSide || h > MaxSide || w*h > MaxPixels:
		return "I can't look at %s: it has too many pixels."
	}
	return ""
}

func (a *Opened) takeSpeech(ctx context.Context, f chat.File, mime string, data []byte) (sorry string) {
	hear := a.o.Hear
	switch {
	case hear == nil:
		return wordsDeaf
	case SpeechLength(mime, data) > MaxSpeech:
		return "I can't listen to %s: it is longer than half an hour."
	}
	words, err := hear(ctx, "audio"+AudioForms[mime], data)
	words = strings.TrimSpace(text.Plain(words))
	switch {
	case err != nil:
		a.log.Warn("write down speech", "err", err)
		return "I could not make out what is said in %s. Please try again, or write it."
	case words == "":
		return wordsFileEmpty
	case f.Voice:
		a.Said = append(a.Said, words)
		a.Via |= provenance.ViaVoice
		return ""
	}
	return a.takeText(f, words)
}

func (a *Opened) takePDF(ctx context.Context, f chat.File, data []byte) (sorry string) {
	if a.o.ReadPDF == nil {
		return wordsFileKind
	}
	text, err := a.o.ReadPDF(ctx, data)
	if err != nil {
		a.log.Warn("read PDF", "err", err)
		return "I can't read %s: the PDF is damaged, protected or too much for me."
	}
	return a.takeText(f, text)
}

// takeText keeps a file's text: data from outside, which may contain instructions.
func (a *Opened) takeText(f chat.File, content string) (sorry string) {
	content = strings.TrimSpace(text.Plain(text.Clip(content, 2*MaxText))) // most of a huge file is not even cleaned
	used := text.Clip(content, a.room)
	name := fileName(f)
	switch {
	case content == "":
		return wordsFileEmpty
	case used == "":
		return "I did not read %s: the files before it are all I can take at once."
	case len(used) < len(content):
		a.Sorry = append(a.Sorry, a.p.Say("Of %s I read only the beginning; it is too long for me.", name))
		name += ", its beginning"
	}
	a.room -= utf8.RuneCountInString(used)
	a.Notes = append(a.Notes, "[file: "+name+"]\n<data>\n"+fileMark().ReplaceAllString(used, "‹$1")+"\n</data>")
	a.Via |= provenance.ViaFile
	return ""
}

// fileMark would close, or open, the marks that a file's text stands between.
var fileMark = text.Pattern(`(?i)<(\s*/?\s*data)`)

// forms are what the transcript calls files that are more than their kind.
var forms = map[chat.FileForm]string{chat.FormGIF: "GIF", chat.FormVideo: "video", chat.FormNote: "video message",
	chat.FormSticker: "sticker"}

// noteOf begins what the transcript says of a file.
func noteOf(f chat.File) string {
	name := "[" + forms[f.Form]
	switch {
	case f.Form == chat.FormUnseen:
		return "[" + f.Name
	case forms[f.Form] == "":
		return "[file: " + fileName(f)
	case f.Seconds > 0:
		name += fmt.Sprintf(", %d s", f.Seconds)
	}
	return name
}

// named is what its sender is told a file is.
func (a *Opened) named(f chat.File) string {
	name := ""
	switch f.Form {
	case chat.FormGIF:
		name = a.p.Text("the GIF")
	case chat.FormNote:
		name = a.p.Text("the video message")
	case chat.FormUnseen:
		return a.p.Text(f.Name)
	default:
		name = fileName(f)
	}
	if f.Seconds > 0 {
		name += " (" + a.p.Say("%d s", f.Seconds) + ")"
	}
	return name
}

func fileName(f chat.File) string { return cmp.Or(plain(f.Name), "the file") }

// plain keeps the letters, digits and a few signs of a name, so that nothing in
// it can be mistaken for markup.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .-_'", r) {
			return r
		}
		return ' '
	}, text.Plain(name))
	return strings.Join(strings.Fields(text.Clip(name, maxName)), " ")
}
