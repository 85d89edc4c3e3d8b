package rehearse

import (
	"os"
	"path/filepath"
	"strings"

	"parley/config"
)

// config returns the settings of a script over the defaults. Its playbook is its
// own, else the one its settings name, else the owner's.
func (s *Script) config(dir string, base config.Config) (config.Config, error) {
	hasBook, err := s.unpack(dir)
	if err != nil {
		return config.Config{}, err
	}
	cfg, err := config.Load(config.Options{File: filepath.Join(dir, settingsFile)})
	if err != nil {
		return cfg, err
	}
	if search := cfg.Web.Search; len(cfg.MCP.Servers) > 0 || search.URL != "" || search.APIKey != "" {
		return cfg, unreadable(s.path, settingsFile, "a rehearsal reaches nothing outside", "leave out mcp.servers and web.search")
	}
	cfg.Web.AllowHosts = []string{"rehearsal.invalid"}
	cfg.DataDir = filepath.Join(dir, "data")
	paths := []*string{&cfg.Playbook.Dir, &cfg.Agent.PromptFile, &cfg.Vault.Dir}
	for i := range cfg.Agents {
		paths = append(paths, &cfg.Agents[i].Playbook, &cfg.Agents[i].Persona)
	}
	for i := range cfg.Subagents {
		paths = append(paths, &cfg.Subagents[i].PromptFile)
	}
	for _, p := range paths {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = s.beside(dir, *p)
		}
	}
	switch {
	case hasBook:
		cfg.Playbook.Dir = filepath.Join(dir, "playbook")
	case cfg.Playbook.Dir == "":
		cfg.Playbook.Dir = base.Playbook.Dir
	}
	return cfg, nil
}

// beside finds a file or folder that settings name: in the script, or else from where
// the script is.
func (s *Script) beside(dir, name string) string {
	if in := filepath.Join(dir, name); name != "playbook" {
		if _, err := os.Stat(in); err == nil {
			return in
		}
	}
	return filepath.Join(filepath.Dir(s.path), name)
}

// unpack writes the files of the script into a folder. Settings and playbook have each
// line at its line number in the script, so that error messages point into the script.
func (s *Script) unpack(dir string) (hasBook bool, err error) {
	files := map[string][]byte{settingsFile: nil}
	for i, f := range s.archive.Files {
		switch {
		case i == s.talk:
		case isNote(f.Name):
			files[f.Name] = f.Data
		default:
			files[f.Name] = append([]byte(strings.Repeat("\n", s.begins(i)-1)), f.Data...)
		}
	}
	for name, data := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return false, err
		}
		if err := os.WriteFile(to, data, 0o600); err != nil {
			return false, err
		}
	}
	_, err = os.Stat(filepath.Join(dir, "playbook"))
	return err == nil, nil
}
