"""The server of llama.cpp with a tiny model of random weights, which it writes first: what it says is
noise, all else is as with any model. Prints its address.

python llama_server.py
"""

import threading

import gguf
import numpy
import xllamacpp

# A byte each, after three special ones.
TOKENS = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
TYPES = [gguf.TokenType.UNKNOWN] + [gguf.TokenType.CONTROL] * 2 + [gguf.TokenType.BYTE] * 256
WIDTH, INNER, HEADS = 32, 64, 2
TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def write(path):
    random = numpy.random.default_rng(1)
    out = gguf.GGUFWriter(path, "llama")
    out.add_context_length(16384)
    out.add_embedding_length(WIDTH)
    out.add_block_count(1)
    out.add_feed_forward_length(INNER)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_rope_dimension_count(WIDTH // HEADS)
    out.add_vocab_size(len(TOKENS))
    out.add_tokenizer_model("llama")
    out.add_token_list(TOKENS)
    out.add_token_scores([0.0] * len(TOKENS))
    out.add_token_types(TYPES)
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_unk_token_id(0)
    out.add_chat_template(TEMPLATE)
    matrices = {"token_embd": (len(TOKENS), WIDTH), "output": (len(TOKENS), WIDTH)}
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        matrices[f"blk.0.{name}"] = (WIDTH, WIDTH)
    matrices |= {"blk.0.ffn_gate": (INNER, WIDTH), "blk.0.ffn_up": (INNER, WIDTH), "blk.0.ffn_down": (WIDTH, INNER)}
    for name, shape in matrices.items():
        out.add_tensor(f"{name}.weight", random.standard_normal(shape).astype(numpy.float32))
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        out.add_tensor(f"{name}.weight", numpy.ones(WIDTH, numpy.float32))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


write("tiny.gguf")
params = xllamacpp.CommonParams()
params.model.path = "tiny.gguf"
params.n_ctx = 16384
params.n_parallel = 1
params.port = 0
params.warmup = False
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
threading.Event().wait()
