package matrix

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // sizes of pictures
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"parley/internal/chat"
	"parley/internal/text/urls"
)

// file returns the attachment of a message.
func file(c *content, form chat.FileForm) chat.File {
	f := chat.File{Name: cmp.Or(c.FileName, c.Body, "file"), Ref: string(c.URL), Form: form, Voice: c.MSC3245Voice != nil}
	if c.Info != nil {
		f.MIME, f.Size, f.Seconds = c.Info.MimeType, int64(max(c.Info.Size, 0)), c.Info.Duration/1000
		f.Still = string(c.Info.ThumbnailURL)
	}
	if c.MsgType == event.MsgVideo {
		f.Form = chat.FormVideo
	}
	if f.Ref == "" { // encrypted, or none at all
		f.Form = chat.FormUnseen
	}
	return f
}

var (
	_ chat.Fetcher = (*Adapter)(nil)
	_ chat.Speaker = (*Adapter)(nil)
)

// Fetch implements chat.Fetcher. Servers older than Matrix 1.11 have no media that ask for a token.
func (a *Adapter) Fetch(ctx context.Context, f chat.File, limit int64) ([]byte, error) {
	uri, err := id.ParseContentURI(f.Ref)
	if err != nil || uri.IsEmpty() || strings.ContainsAny(uri.Homeserver+uri.FileID, "/?#%") {
		return nil, chat.ErrFileGone
	}
	if f.Size > limit {
		return nil, chat.ErrFileTooLarge
	}
	where := "/download/" + esc(uri.Homeserver) + "/" + esc(uri.FileID)
	data, err := a.download(ctx, "/_matrix/client/v1/media"+where, limit)
	if errors.Is(err, errUnknownRequest) {
		data, err = a.download(ctx, "/_matrix/media/v3"+where, limit)
	}
	return data, err
}

// errUnknownRequest: the server does not know such a request.
var errUnknownRequest = errors.New("matrix: unknown request")

func (a *Adapter) download(ctx context.Context, at string, limit int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.server+at, nil)
	if err != nil {
		return nil, errors.New("matrix: download: the server's address cannot be used")
	}
	req.Header.Set("Authorization", "Bearer "+a.token)
	resp, err := a.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("matrix: download: %w", urls.Bare(err))
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusOK {
		return chat.ReadFile(resp.Body, limit)
	}
	why, _ := chat.ReadFile(resp.Body, 1<<16)
	no := refusal{Status: resp.StatusCode}
	_ = json.Unmarshal(why, &no) // the status alone will do
	switch {
	case no.Code == "M_UNRECOGNIZED":
		return nil, errUnknownRequest
	case no.Code == "M_NOT_FOUND", no.Code == "M_FORBIDDEN":
		return nil, chat.ErrFileGone
	case no.Code == "M_TOO_LARGE":
		return nil, chat.ErrFileTooLarge
	}
	return nil, fmt.Errorf("matrix: download: status %d", resp.StatusCode)
}

// Plays implements chat.Speaker.
func (a *Adapter) Plays(mime string) bool { return mime == "audio/ogg" || mime == "audio/mpeg" }

// maxUpload returns how many bytes the server takes.
func (a *Adapter) maxUpload(ctx context.Context) int64 {
	if n := a.most.Load(); n > 0 {
		return n
	}
	var c struct {
		Size int64 `json:"m.upload.size"`
	}
	if a.call(ctx, http.MethodGet, "/v1/media/config", nil, &c) != nil || c.Size <= 0 {
		return 1 << 40 // it says no by itself
	}
	a.most.Store(c.Size)
	return c.Size
}

// attachment uploads a file and returns the message that shows it.
func (a *Adapter) attachment(ctx context.Context, f chat.File) (*content, error) {
	if int64(len(f.Data)) > a.maxUpload(ctx) {
		return nil, &chat.GoneError{Err: fmt.Errorf("matrix: %d bytes are more than the server takes", len(f.Data))}
	}
	name := cmp.Or(path.Base(f.Name), "file")
	mime := cmp.Or(f.MIME, http.DetectContentType(f.Data))
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	answer, err := a.exchange(ctx, http.MethodPost, "/_matrix/media/v3/upload?filename="+url.QueryEscape(name), upload{mime, f.Data})
	if errors.Is(err, chat.ErrUnknownOutcome) {
		err = fmt.Errorf("matrix: upload: %v", err) // nobody sees it before a message names it
	}
	if err != nil {
		return nil, outcome(err)
	}
	var got struct {
		URI id.ContentURIString `json:"content_uri"`
	}
	if json.Unmarshal(answer, &got) != nil || got.URI == "" {
		return nil, errors.New("matrix: upload: unreadable answer")
	}
	c := &content{}
	c.MsgType, c.Body, c.FileName, c.URL = event.MsgFile, name, name, got.URI
	c.Info, c.Mentions = &event.FileInfo{MimeType: mime, Size: len(f.Data)}, &event.Mentions{}
	switch kind, _, _ := strings.Cut(mime, "/"); kind {
	case "image":
		c.MsgType = event.MsgImage
		if size, _, err := image.DecodeConfig(bytes.NewReader(f.Data)); err == nil {
			c.Info.Width, c.Info.Height = size.Width, size.Height
		}
	case "video":
		c.MsgType = event.MsgVideo
	case "audio":
		c.MsgType = event.MsgAudio
		if f.Voice {
			c.MSC3245Voice, c.MSC1767Audio = &event.MSC3245Voice{}, &event.MSC1767Audio{Waveform: []int{}}
		}
	}
	return c, nil
}
