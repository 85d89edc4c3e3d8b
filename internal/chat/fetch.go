package chat

import "io"

// ReadFile reads a file to its end; one of more than limit bytes is
// ErrFileTooLarge, and no more than that is read of it.
func ReadFile(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, ErrFileTooLarge
	}
	return data, err
}
