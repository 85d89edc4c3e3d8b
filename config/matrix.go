package config

// Matrix is the Matrix front end; it runs if there is a token.
type Matrix struct {
	Token  Secret `yaml:"token" env:"MATRIX_BOT_TOKEN" doc:"access token of the bot's account"`
	Server string `yaml:"server" default:"https://matrix-client.matrix.org" form:"url" doc:"address of the homeserver of that account"`
}
