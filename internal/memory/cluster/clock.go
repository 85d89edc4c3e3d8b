package cluster

import "time"

// agree is how far two clocks may differ and still tell the same time: more than an answer
// of the server may take.
const agree = 2 * time.Second

// reading pairs a time of the server's clock with this machine's at that moment.
type reading struct{ there, here time.Time }

// skew is how far the server's clock is ahead of this machine's, 0 where they agree. Between
// two readings it uses the monotonic clock, so setting the machine's clock changes nothing.
func (r *reading) skew(now time.Time) time.Duration {
	if r == nil {
		return 0
	}
	d := r.there.Add(now.Sub(r.here)).Sub(now.Round(0))
	if d.Abs() <= agree {
		return 0
	}
	return d
}

// Skew is how far the database's clock is ahead of this machine's, 0 where they agree within
// two seconds. Nodes that add it agree on what is due. It does not block.
func (n *Node) Skew() time.Duration { return n.clock.Load().skew(time.Now()) }

// compare takes in what the server's clock said in an answer to what was sent at a time, and
// tells when it turns out that this machine's does not agree any more.
func (n *Node) compare(sent, there time.Time) {
	now := time.Now()
	took := now.Sub(sent)
	if took > renewLimit { // this process was stopped meanwhile
		return
	}
	r := &reading{there: there, here: sent.Add(took / 2)}
	n.clock.Store(r)
	skew := r.skew(now)
	switch {
	case (skew - n.off).Abs() <= agree:
		return
	case skew == 0:
		n.o.Log.Info("this machine's clock agrees with the database's again")
	default:
		n.o.Log.Error("this machine's clock and the database's do not agree, and the database's is followed: set the one that is wrong",
			"behind", skew.Round(time.Second))
	}
	n.off = skew
}
