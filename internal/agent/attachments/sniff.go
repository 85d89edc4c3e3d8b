package attachments

import (
	"bytes"
	"encoding/binary"
	"image"
	_ "image/gif"  // its header
	_ "image/jpeg" // its header
	_ "image/png"  // its header
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/chat"
)

// Kind is what a file is by its content, whatever it is called.
type Kind int

const (
	Other Kind = iota
	Fake       // not what it was said to be
	Image
	Audio
	PDF
	Text
)

// The largest image, by its header alone, and the longest recording.
const (
	MaxSide   = 8192
	MaxPixels = 40_000_000
	MaxSpeech = 30 * time.Minute
)

// AudioForms are the sound formats that are written down, with the ending that
// transcription endpoints tell them apart by.
var AudioForms = map[string]string{
	"application/ogg": ".ogg", "audio/mpeg": ".mp3", "audio/wave": ".wav", "video/mp4": ".m4a", "video/webm": ".webm", "audio/flac": ".flac",
}

// File looks at the content first; what the sender said only decides between
// sound and film, which look alike, and whether somebody lied.
func File(f chat.File, data []byte) (kind Kind, mime string) {
	mime, _, _ = strings.Cut(http.DetectContentType(data), ";")
	declared, _, _ := strings.Cut(f.MIME, "/")
	switch {
	case bytes.HasPrefix(data, []byte("fLaC")):
		mime = "audio/flac"
	case declared == "audio" && len(data) > 1 && data[0] == 0xff && data[1]&0xe0 == 0xe0: // frames without a tag
		mime = "audio/mpeg"
	case len(data) > 11 && string(data[4:8]) == "ftyp": // of all brands only mp4's own are known there
		mime = "video/mp4"
	}
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		kind = Image
	case "application/pdf":
		kind = PDF
	default:
		_, sound := AudioForms[mime]
		film := strings.HasPrefix(mime, "video/") && declared != "audio"
		switch {
		case sound && !film:
			kind = Audio
		case isText(data):
			kind = Text
		}
	}
	if (declared == "image" && kind != Image) || (declared == "audio" && kind != Audio) || (f.MIME == "application/pdf" && kind != PDF) {
		return Fake, mime
	}
	return kind, mime
}

// isText tells UTF-8 that people read from everything else.
func isText(data []byte) bool {
	for _, b := range data {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != '\f' && b != 0x1b {
			return false
		}
	}
	return utf8.Valid(data)
}

// ImageSize reads the header only: what it claims would be paid for in memory
// by whoever decodes the rest.
func ImageSize(mime string, data []byte) (width, height int, ok bool) {
	if mime == "image/webp" {
		return webpSize(data)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(data))
	return c.Width, c.Height, err == nil && c.Width > 0 && c.Height > 0
}

// webpSize reads the three forms of WebP's header, which the standard library
// does not know.
func webpSize(b []byte) (width, height int, ok bool) {
	if len(b) < 30 {
		return 0, 0, false
	}
	switch string(b[12:16]) {
	case "VP8X":
		width = 1 + (int(b[24]) | int(b[25])<<8 | int(b[26])<<16)
		height = 1 + (int(b[27]) | int(b[28])<<8 | int(b[29])<<16)
	case "VP8L":
		bits := int(binary.LittleEndian.Uint32(b[21:]))
		width, height = 1+bits&0x3fff, 1+bits>>14&0x3fff
	case "VP8 ":
		width = int(binary.LittleEndian.Uint16(b[26:])) & 0x3fff
		height = int(binary.LittleEndian.Uint16(b[28:])) & 0x3fff
	}
	return width, height, width > 0 && height > 0
}

// SpeechLength returns how long a recording says it is; 0 where the form does not
// tell. An Ogg page counts the samples up to its end, 48,000 a second in Opus.
func SpeechLength(mime string, data []byte) time.Duration {
	last := bytes.LastIndex(data, []byte("OggS"))
	if mime != "application/ogg" || last < 0 || len(data) < last+14 {
		return 0
	}
	samples := binary.LittleEndian.Uint64(data[last+6:])
	return time.Duration(min(samples/48_000, 1<<20)) * time.Second
}
