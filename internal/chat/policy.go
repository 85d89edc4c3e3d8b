package chat

// Policy is what was decided about a channel; threads follow their channel. The
// zero Policy is how a channel begins.
type Policy struct {
	Listen string   // mention, also when empty; all; off
	Who    string   // admins or owner are the only ones answered; "" is everybody who was let in
	Tools  []string // names of the only tools used here; nil is all there are
}
