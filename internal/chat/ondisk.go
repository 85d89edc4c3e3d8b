package chat

import "context"

type onDiskKey struct{}

// onDisk tells when a message that is worked on already is on the disk.
type onDisk struct {
	over chan struct{} // closed when that is known
	err  error         // why it is not; set before over is closed
}

// within returns a context in which OnDisk waits for it.
func (d *onDisk) within(ctx context.Context) context.Context {
	if d == nil {
		return ctx
	}
	return context.WithValue(ctx, onDiskKey{}, d)
}

func (d *onDisk) settle(err error) {
	d.err = err
	close(d.over)
}

// OnDisk waits until the message that ctx belongs to is on the disk, which is so at
// once for most. A message is thought about while it is being stored; nothing that
// anybody sees, and nothing that changes anything, may come before that. An error is
// that of ctx or of the disk. What is stored for the message needs no waiting: it
// gets to the disk after it. Among several processes the error is ErrFenced where the
// conversation may be another's by now.
func OnDisk(ctx context.Context) error {
	if err := onDiskYet(ctx); err != nil {
		return err
	}
	return mayEffect(ctx)
}

func onDiskYet(ctx context.Context) error {
	d, ok := ctx.Value(onDiskKey{}).(*onDisk)
	if !ok {
		return nil
	}
	select {
	case <-d.over:
		return d.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
