package chat

// Policy holds the settings of one channel; threads follow their channel. The
// zero Policy is the default.
type Policy struct {
	Listen string   // mention, also when empty; all; off
	Who    string   // admins or owner are the only ones answered; "" is everybody who was let in
	Tools  []string // names of the only tools used here; nil is all there are
}
