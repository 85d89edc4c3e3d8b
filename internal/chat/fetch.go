package chat

import (
	"context"
	"errors"
	"io"
)

// Fetcher is an Adapter that can open what people attach.
type Fetcher interface {
	// Fetch reads an inbound file of at most limit bytes. It makes one attempt.
	// Besides the errors below, any error may be temporary; none holds Ref.
	Fetch(ctx context.Context, f File, limit int64) ([]byte, error)
}

// What Fetch returns when trying again is pointless.
var (
	ErrFileTooLarge = errors.New("the file is too large")
	ErrFileGone     = errors.New("the file is no longer there")
)

// ReadFile reads a file to its end; one of more than limit bytes is
// ErrFileTooLarge, and no more than that is read of it.
func ReadFile(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, ErrFileTooLarge
	}
	return data, err
}
