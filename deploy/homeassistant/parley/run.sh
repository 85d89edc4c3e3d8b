#!/bin/sh
# Starts the bot with bot.yaml from the add-on's folder of settings; without one, with the
# options that are set in Home Assistant.
set -eu
settings=${OPTIONS:-/data/options.json}
own=${CONFIG:-/config/bot.yaml}
[ ! -f "$own" ] || settings=$own
exec bot --config "$settings" --data "${DATA:-/data/parley}"
