package discordtest

import (
	"bytes"
	"io"
	"mime/multipart"
)

// uploads reads the files of a post, by name; nil when it has none.
func uploads(body []byte) (files map[string][]byte) {
	boundary, _, _ := bytes.Cut(body, []byte("\r\n"))
	if !bytes.HasPrefix(boundary, []byte("--")) {
		return nil
	}
	r := multipart.NewReader(bytes.NewReader(body), string(boundary[2:]))
	for {
		part, err := r.NextPart()
		if err != nil {
			return files
		}
		if part.FileName() == "" {
			continue
		}
		if files == nil {
			files = map[string][]byte{}
		}
		files[part.FileName()], _ = io.ReadAll(part)
	}
}
