package telegram

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-telegram/bot/models"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"parley/internal/chat"
	"parley/internal/text"
	"parley/internal/text/markdown"
)

// maxMentions is how many people one message may call by @name.
const maxMentions = 5

// maxLinks is how many links one message shows as such; the others are spelled out, since
// Telegram drops entities beyond a hundred.
const maxLinks = 80

// rendered is a message as Telegram shows it: text and entities.
type rendered struct {
	text     string
	entities []models.MessageEntity // sorted, none crossing another
}

// fits reports whether r fits one message.
func (r rendered) fits() bool {
	return len(r.text) <= maxBytes && len(r.entities) <= maxEntities && length(r.text) <= maxText
}

// render turns Markdown into text and entities. What it does not understand stays as text.
func render(source string) rendered {
	source = strings.ReplaceAll(clean(source), "\r", "")
	if !strings.ContainsAny(source, "\\`*_~[]<>#|@\t") && !strings.Contains(source, "\n") && !strings.HasPrefix(source, "    ") {
		return rendered{text: strings.TrimSpace(source)}
	}
	source = chat.CloseSpoilers(source)
	doc, read := markdown.Parse(source)
	w := &walker{source: read}
	w.blocks(doc, "\n\n")
	return w.result()
}

// walker renders a parsed document.
type walker struct {
	source   []byte
	out      strings.Builder
	at       int    // UTF-16 units written
	indent   string // put after every line break
	quoted   bool   // inside a quotation: those do not nest
	linked   bool   // inside a link: neither links nor code fit in there
	hidden   bool   // inside a spoiler: code does not fit in there either
	links    int
	mentions int
	entities []models.MessageEntity
}

func (w *walker) write(s string) {
	w.out.WriteString(s)
	w.at += length(s)
}

// mark puts an entity around what body writes.
func (w *walker) mark(e models.MessageEntity, body func()) {
	e.Offset = w.at
	i := len(w.entities)
	body()
	if e.Length = w.at - e.Offset; e.Length > 0 {
		w.entities = slices.Insert(w.entities, i, e)
	}
}

// blocks writes the blocks in n with gap between them.
func (w *walker) blocks(n ast.Node, gap string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.PreviousSibling() != nil {
			w.write(strings.TrimSuffix(gap, "\n") + "\n" + w.indent)
		}
		w.block(c)
	}
}

func (w *walker) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		w.mark(models.MessageEntity{Type: models.MessageEntityTypeBold}, func() { w.inlines(n) })
	case *ast.ThematicBreak:
		w.write("———")
	case *ast.FencedCodeBlock:
		w.pre(string(n.Language(w.source)), markdown.Code(n, w.source))
	case *ast.CodeBlock:
		w.pre("", markdown.Code(n, w.source))
	case *ast.Blockquote:
		if w.quoted {
			w.blocks(n, "\n\n")
			return
		}
		w.quoted = true
		w.mark(models.MessageEntity{Type: models.MessageEntityTypeBlockquote}, func() { w.blocks(n, "\n\n") })
		w.quoted = false
	case *ast.List:
		w.list(n)
	case *extast.Table:
		w.pre("", w.table(n))
	default:
		if n.Type() == ast.TypeBlock && n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
			w.blocks(n, "\n\n")
			return
		}
		w.inlines(n)
	}
}

func (w *walker) pre(language, code string) {
	if strings.TrimSpace(code) == "" {
		w.write(code)
		return
	}
	w.mark(models.MessageEntity{Type: models.MessageEntityTypePre, Language: language}, func() { w.write(code) })
}

func (w *walker) list(n *ast.List) {
	gap := "\n\n"
	if n.IsTight {
		gap = "\n"
	}
	number, outer := n.Start, w.indent
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.PreviousSibling() != nil {
			w.write(gap + outer)
		}
		bullet := "• "
		if n.IsOrdered() {
			bullet = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		w.write(bullet)
		w.indent = outer + "  "
		w.blocks(c, gap)
		w.indent = outer
	}
}

// inlines writes the text in n.
func (w *walker) inlines(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.inline(c)
	}
}

func (w *walker) inline(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.prose(markdown.Literal(n, w.source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			w.write("\n" + w.indent)
		}
	case *ast.CodeSpan:
		w.code(n)
	case *ast.Emphasis:
		kind := models.MessageEntityTypeItalic
		if n.Level == 2 {
			kind = models.MessageEntityTypeBold
		}
		w.mark(models.MessageEntity{Type: kind}, func() { w.inlines(n) })
	case *extast.Strikethrough:
		w.mark(models.MessageEntity{Type: models.MessageEntityTypeStrikethrough}, func() { w.inlines(n) })
	case *markdown.Spoiler:
		hidden := w.hidden
		w.hidden = true
		w.mark(models.MessageEntity{Type: models.MessageEntityTypeSpoiler}, func() { w.inlines(n) })
		w.hidden = hidden
	case *ast.Link:
		w.link(n, string(n.Destination), string(n.Title))
	case *ast.Image:
		w.link(n, string(n.Destination), string(n.Title))
	case *ast.AutoLink:
		w.write(string(n.Label(w.source)))
	default:
		w.inlines(n)
	}
}

func (w *walker) code(n *ast.CodeSpan) {
	body := func() { w.write(strings.ReplaceAll(markdown.Raw(n, w.source), "\n", " ")) }
	if w.linked || w.hidden {
		body()
		return
	}
	w.mark(models.MessageEntity{Type: models.MessageEntityTypeCode}, body)
}

// follows reports whether text comes directly after a node.
func (w *walker) follows(n ast.Node, words string) bool {
	t, ok := n.NextSibling().(*ast.Text)
	return ok && strings.HasPrefix(string(w.source[t.Segment.Start:]), words)
}

// link writes a link, or spells out a target that is not on the web: Telegram's own links
// can call people and start bots.
func (w *walker) link(n ast.Node, to, title string) {
	u, err := url.Parse(to)
	web := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	start := w.at
	spelled := w.links >= maxLinks
	if web && !w.linked && !spelled {
		w.linked = true
		w.links++
		w.mark(models.MessageEntity{Type: models.MessageEntityTypeTextLink, URL: u.String()}, func() { w.inlines(n) })
		w.linked = false
	} else {
		w.inlines(n)
	}
	switch {
	case w.at == start:
		w.prose(to)
	case err == nil && u.Scheme == "obsidian": // leads nowhere from here, and is no place in the web
	case (!web || spelled && !w.linked) && to != "":
		w.prose(" (" + to + ")")
	default:
		if host := text.Leads(markdown.Label(n, w.source), to); host != "" && !w.follows(n, " ("+host+")") {
			w.prose(" (" + host + ")")
		}
	}
	if title != "" {
		w.prose(" (" + title + ")")
	}
}

var mention = text.Pattern(`@[A-Za-z0-9_]{4,}`)

// prose writes text in which Telegram finds @names by itself. After the first few, it breaks
// them invisibly so that nobody is notified.
func (w *walker) prose(s string) {
	if strings.Contains(s, "@") {
		s = mention().ReplaceAllStringFunc(s, func(name string) string {
			if w.mentions++; w.mentions <= maxMentions {
				return name
			}
			return "@\u2060" + name[1:]
		})
	}
	w.write(s)
}

// calling turns the first mention of a person's name into one that notifies them, even if
// they have no @name.
func (r rendered) calling(u chat.User) rendered {
	at := strings.Index(r.text, u.Name)
	who, err := personOf(u)
	if err != nil || u.Name == "" || at < 0 || shared(who.chat) {
		return r
	}
	call := models.MessageEntity{Type: models.MessageEntityTypeTextMention, Offset: length(r.text[:at]), Length: length(u.Name),
		User: &models.User{ID: who.chat, FirstName: u.Name}}
	if slices.ContainsFunc(r.entities, func(e models.MessageEntity) bool {
		return e.Offset < call.Offset+call.Length && call.Offset < e.Offset+e.Length
	}) {
		return r // the name is part of a link or of code
	}
	r.entities = append(slices.Clone(r.entities), call)
	slices.SortStableFunc(r.entities, func(a, b models.MessageEntity) int { return a.Offset - b.Offset })
	return r
}
