package document

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
)

// Bounds of a packed document.
const (
	maxPart  = 24 << 20 // unpacked bytes of one part
	maxWhole = 32 << 20 // unpacked bytes of all parts
	maxParts = 10_000
)

// pack is an Office document: parts in a zip file, which may be a zip bomb.
type pack struct {
	parts map[string]*zip.File
	left  int64 // bytes that may still be unpacked
}

// compound begins files in Word's old format, and all with a password.
var compound = []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")

func openPack(data []byte) (*pack, error) {
	if bytes.HasPrefix(data, compound) {
		return nil, ErrLocked
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errors.Join(ErrBroken, err)
	}
	if len(z.File) > maxParts {
		return nil, ErrLarge
	}
	p := &pack{parts: map[string]*zip.File{}, left: maxWhole}
	for _, f := range z.File {
		p.parts[strings.ToLower(strings.TrimPrefix(f.Name, "/"))] = f
	}
	return p, nil
}

// read returns a part, nil if it is missing. It does not trust the recorded size:
// reading stops at the bounds, with ErrLarge.
func (p *pack) read(name string) ([]byte, error) {
	f := p.parts[strings.ToLower(strings.TrimPrefix(name, "/"))]
	if f == nil {
		return nil, nil
	}
	r, err := f.Open()
	if err != nil {
		return nil, errors.Join(ErrBroken, err)
	}
	defer func() { _ = r.Close() }()
	limit := min(maxPart, p.left)
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, errors.Join(ErrBroken, err)
	}
	if int64(len(data)) > limit {
		return nil, ErrLarge
	}
	p.left -= int64(len(data))
	return data, nil
}

// open returns a part as XML, nil if it is missing.
func (p *pack) open(name string) (*xml.Decoder, error) {
	data, err := p.read(name)
	if data == nil || err != nil {
		return nil, err
	}
	return xml.NewDecoder(bytes.NewReader(data)), nil
}

// main returns the name of the part with the document's text.
func (p *pack) main() (string, error) {
	const usual = "word/document.xml"
	d, err := p.open("_rels/.rels")
	if err != nil || d == nil {
		return usual, err
	}
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return usual, nil
		}
		if err != nil {
			return "", errors.Join(ErrBroken, err)
		}
		e, ok := t.(xml.StartElement)
		if ok && e.Name.Local == "Relationship" && strings.HasSuffix(attr(e, "Type"), "/officeDocument") {
			return strings.TrimPrefix(path.Clean("/"+attr(e, "Target")), "/"), nil
		}
	}
}

// attr returns the attribute with a local name, "" if it is missing.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
