package discordtest

// Left takes somebody out of a server.
func (s *Server) Left(guild, user string) {
	s.with(func() {
		if s.left == nil {
			s.left = map[[2]string]bool{}
		}
		s.left[[2]string{guild, user}] = true
	})
}

// member is somebody in a server. mu is held.
func (s *Server) member(guild, user string) (any, *problem) {
	if s.left[[2]string{guild, user}] {
		return nil, &problem{status: 404, code: 10007, message: "Unknown Member"}
	}
	return map[string]any{"user": map[string]any{"id": user, "username": "user" + user}, "roles": []string{}}, nil
}
