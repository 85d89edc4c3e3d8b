package config

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"parley/internal/text"
	"parley/internal/text/machine"
)

// Said in more than one place.
const (
	wordsNotAddress = "is not an address"
	wordsNameSecret = "name a readable file that holds the secret"
	wordsForExample = "for example %s"
)

// DefaultFile is read if no file is named, and may be missing.
const DefaultFile = "bot.yaml"

// maxFile is the longest settings or secret file, in bytes.
const maxFile = 1 << 20

// Options lists the sources of settings, weakest first.
type Options struct {
	File  string            // YAML; "" is DefaultFile in the working folder, if it exists
	Env   []string          // NAME=value, as os.Environ gives it; an empty value counts as unset
	Flags map[string]string // setting path -> value
	IDs   IDs               // nil accepts any entry of an access list
}

// failpoint is a variable for crash tests; this package ignores it.
const failpoint = "BOT_FAILPOINT"

// environment is the place of a value from a variable.
const environment = "environment"

// wellKnown maps variables of other programs to our settings. BOT_ names win.
func wellKnown() map[string]string {
	list := map[string]string{}
	for _, s := range Settings() {
		if s.wellKnown != "" {
			list[s.wellKnown] = s.Path
		}
	}
	return list
}

// Load returns the defaults changed by the file, the environment and the flags, in this
// order, and validated. Its error joins every mistake found, each an *Error.
func Load(o Options) (Config, error) {
	l := loader{config: Default(), places: map[string]string{}}
	l.file(o.File)
	l.environment(o.Env)
	l.expand(environ(o.Env))
	for _, path := range slices.Sorted(maps.Keys(o.Flags)) {
		l.set(path, o.Flags[path], "flag")
	}
	if len(l.errs) > 0 {
		return Config{}, errors.Join(l.errs...)
	}
	if err := l.config.validate(o.IDs, l.places); err != nil {
		return Config{}, err
	}
	l.config.HTTP.Listen = onLoopback(l.config.HTTP.Listen)
	return l.config, nil
}

type loader struct {
	config Config
	places map[string]string // setting path -> where its value is from
	errs   []error
}

func (l *loader) fail(e *Error) { l.errs = append(l.errs, e) }

func (l *loader) warn(w error) { l.config.Warnings = append(l.config.Warnings, w) }

// set applies one value from place.
func (l *loader) set(path, value, place string) {
	if err := l.config.Set(path, value); err != nil {
		l.fail(err.(*Error).from(place))
		return
	}
	l.places[path] = place
}

func (l *loader) file(name string) {
	optional := name == ""
	if optional {
		name = DefaultFile
	}
	content, err := readFile(name)
	if optional && errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		l.fail((&Error{Setting: "--config", Problem: err}).hint("name a readable YAML file"))
		return
	}
	y := yamlFile{loader: l, name: name, lines: strings.Split(content, "\n")}
	y.load(content)
	if info, err := os.Stat(name); err == nil && !machine.Private(info) && l.config.hasSecret() {
		l.warn(text.Tell("%s holds secrets and other users of this machine can read it: chmod 600 %s", name, name))
	}
}

func (c *Config) hasSecret() (found bool) {
	c.each(func(s *Setting) { found = found || s.Secret && s.value.Len() > 0 })
	return found
}

func readFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", unread(name, err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return "", unread(name, err)
	}
	if len(content) > maxFile {
		return "", text.Tell("%s is larger than %d bytes", name, maxFile)
	}
	return string(content), nil
}

// unread explains why a file was not read, where people can fix it.
func unread(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return missing{text.Tell("there is no file %s", name)}
	case errors.Is(err, fs.ErrPermission):
		return text.Tell("%s cannot be read by this user", name)
	case errors.Is(err, syscall.EISDIR):
		return text.Tell("%s is a folder", name)
	}
	return err
}

// missing is fs.ErrNotExist with words for people.
type missing struct{ error }

// Is makes errors.Is find fs.ErrNotExist.
func (missing) Is(target error) bool { return target == fs.ErrNotExist }

// Unwrap returns the words.
func (m missing) Unwrap() error { return m.error }

// environment applies the well-known names first, so that BOT_ names win.
func (l *loader) environment(env []string) {
	known, others, names := map[string]string{}, wellKnown(), []string{}
	for _, s := range Settings() {
		if s.Env != "" {
			known[s.Env] = s.Path
			names = append(names, s.Env)
		}
	}
	values := environ(env)
	l.credentials(values["CREDENTIALS_DIRECTORY"])
	strange := l.strangers(values)
	for _, name := range slices.Sorted(maps.Keys(others)) {
		if !slices.Contains(strange, name) {
			l.variable(values, name, others[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		l.variable(values, name, known[name])
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		base, _ := strings.CutSuffix(name, "_FILE")
		if !strings.HasPrefix(name, "BOT_") || name == failpoint || known[name] != "" || l.isSecret(known[base]) {
			continue
		}
		l.fail(unknown(name, names).from(environment))
	}
	if host := values["OLLAMA_HOST"]; host != "" {
		l.ollama(host)
	}
}

// credentials reads secrets from the folder that a service manager provides, each from a
// file named after its setting, such as telegram.token. A blank file counts as missing, so
// a unit can name secrets that its owner does not have.
func (l *loader) credentials(dir string) {
	if dir == "" {
		return
	}
	for _, s := range Settings() {
		if !s.Secret || s.Env == "" {
			continue
		}
		name := filepath.Join(dir, s.Path)
		secret, err := readFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			l.fail((&Error{Setting: s.Path, Place: name, Problem: err}).hint(wordsNameSecret))
		case strings.TrimSpace(secret) != "":
			l.set(s.Path, secret, name)
		}
	}
}

// strangers returns the well-known variables that do not apply because they would send one
// provider's key to another's address; such variables are often meant for other programs.
// A file that names an address must also name the key; one with only a key means OpenAI.
func (l *loader) strangers(values map[string]string) (names []string) {
	const key, base, model = "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"
	file, settings := l.config.Model, wellKnown()
	switch {
	case len(l.config.Models) > 0: // those have their own keys, perhaps from these variables
		return []string{key, base, model}
	case file.BaseURL != "":
		names = []string{key, base, model}
	case file.APIKey != "" && values[key] == "" && values[key+"_FILE"] == "" && values[base] != "":
		names = []string{base, model}
	}
	for _, name := range names {
		if values[name] == "" && values[name+"_FILE"] == "" {
			continue
		}
		if file.BaseURL != "" {
			l.warn(text.Tell("%s is set and not used, because the settings file names %s; %s overrides the file", name, "model.base_url", envName(settings[name])))
		} else {
			l.warn(text.Tell("%s is set and not used, because the settings file names %s, which goes with OpenAI's address; %s overrides the file", name, "model.api_key", envName(settings[name])))
		}
	}
	return names
}

func (l *loader) isSecret(path string) bool {
	s, ok := l.config.find(path)
	return ok && s.Secret
}

// variable applies one environment variable, or the file named by NAME_FILE.
func (l *loader) variable(values map[string]string, name, path string) {
	value, file := values[name], values[name+"_FILE"]
	if file == "" || !l.isSecret(path) {
		if value != "" {
			l.set(path, value, environment+" "+name)
		}
		return
	}
	if value != "" {
		l.fail(wrong("set twice, by value and by %s", name+"_FILE").hint("unset one of them").at(name).from(environment))
		return
	}
	secret, err := readFile(file)
	if err == nil && strings.TrimSpace(secret) == "" {
		err = text.Tell(wordsEmptyFile, file)
	}
	if err != nil {
		l.fail((&Error{Setting: name + "_FILE", Place: environment, Problem: err}).hint(wordsNameSecret))
		return
	}
	l.set(path, secret, environment+" "+name+"_FILE")
}

// ollama reads OLLAMA_HOST as Ollama does: scheme and port are optional, and an
// unspecified address means this machine.
func (l *loader) ollama(host string) {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil || u.Host == "" {
		l.fail(wrong(wordsNotAddress).hint(wordsForExample, "127.0.0.1:11434").at("OLLAMA_HOST").from(environment))
		return
	}
	name, port := u.Hostname(), u.Port()
	if ip := net.ParseIP(name); name == "" || ip != nil && ip.IsUnspecified() {
		name = "127.0.0.1"
	}
	if port == "" {
		port = "11434"
	}
	l.config.OllamaURL = u.Scheme + "://" + net.JoinHostPort(name, port) + strings.TrimSuffix(u.Path, "/") + "/v1"
}

// onLoopback adds the loopback host to an address without one.
func onLoopback(listen string) string {
	if strings.HasPrefix(listen, ":") {
		return "127.0.0.1" + listen
	}
	return listen
}
