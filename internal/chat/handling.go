package chat

import "context"

// handling is what the Hub knows about the message a Handler works on. It travels in the
// Handler's context, because the tools that a Handler calls get nothing else of the Hub's.
type handling struct {
	disk  *onDisk // nil is on it
	read  *ahead  // nil is nothing
	place *place  // nil needs none
	node  Node    // nil is alone

	failing func(bool) // see Failing; nil where nobody passes
	alone   bool       // see Alone
	kept    *any       // see Kept; nil outside a Handler
}

type handlingKey struct{}

func (g *handling) within(ctx context.Context) context.Context {
	return context.WithValue(ctx, handlingKey{}, g)
}

// handlingOf returns what ctx carries; empty outside a Handler.
func handlingOf(ctx context.Context) *handling {
	if g, ok := ctx.Value(handlingKey{}).(*handling); ok {
		return g
	}
	return &handling{}
}

// OnDisk waits until the message of ctx is on the disk: usually it is already. A message is
// thought about while it is being stored; nothing that anybody sees, and nothing that
// changes anything, may come before that. An error is that of ctx or of the disk. What is
// stored for the message needs no waiting: it gets to the disk after it. Among several
// processes the error is ErrFenced where the conversation may be another's by now.
func OnDisk(ctx context.Context) error {
	g := handlingOf(ctx)
	if err := g.disk.wait(ctx); err != nil {
		return err
	}
	if g.node != nil && !g.node.Alive() {
		return ErrFenced
	}
	return nil
}

// Ahead returns what HubOptions.Ahead read for the message of ctx while that was being
// stored, once; nil is nothing. It is as read when the message began: from before the
// reading until then nothing was under way in its conversation.
func Ahead(ctx context.Context) any {
	a := handlingOf(ctx).read
	if a == nil || a.taken.Swap(true) {
		return nil
	}
	<-a.over
	return a.value
}

// Aside says that the message of ctx waits for somebody else, such as a model, until back
// is called, so that another one can be worked on.
func Aside(ctx context.Context) (back func()) {
	p := handlingOf(ctx).place
	p.aside()
	return p.back
}

// onDisk tells when a message that is worked on already is on the disk. nil is there.
type onDisk struct {
	over chan struct{} // closed when that is known
	err  error         // why it is not; set before over is closed
}

func (d *onDisk) settle(err error) {
	d.err = err
	close(d.over)
}

// wait returns when the message is on the disk, or why it is not.
func (d *onDisk) wait(ctx context.Context) error {
	if d == nil {
		return nil
	}
	select {
	case <-d.over:
		return d.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

type payerKey struct{}

// PaidBy returns a context whose model calls are charged to the author and the
// place of a message.
func PaidBy(ctx context.Context, m Message) context.Context {
	return context.WithValue(ctx, payerKey{}, m)
}

// Payer returns the message that PaidBy named, or the zero Message.
func Payer(ctx context.Context) Message {
	m, _ := ctx.Value(payerKey{}).(Message)
	return m
}
