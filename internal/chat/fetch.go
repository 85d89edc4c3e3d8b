package chat

import "io"

// ReadFile reads a whole file. If it has more than limit bytes, ReadFile stops
// there and returns ErrFileTooLarge.
func ReadFile(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		return nil, ErrFileTooLarge
	}
	return data, err
}
