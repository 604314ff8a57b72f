"""Tones as WAV files, and finding them again in what was recorded."""

import array
import math
import wave

RATE = 8000


def write_tone(path, frequency, seconds=30):
    """Writes a sine tone."""
    samples = array.array("h", (int(8000 * math.sin(2 * math.pi * frequency * n / RATE)) for n in range(RATE)))
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        # A whole number of periods in a second, so that it may be repeated.
        file.writeframes(samples.tobytes() * seconds)


def read_samples(path):
    """The samples of a recording, which may still be growing."""
    with open(path, "rb") as file:
        data = file.read()
    start = data.find(b"data")
    if start < 0:
        return array.array("h")
    payload = data[start + 8:]
    samples = array.array("h")
    samples.frombytes(payload[: len(payload) // 2 * 2])
    return samples


def share_of(frequency, samples):
    """The share of a signal's energy at one frequency, from 0 to 1 (Goertzel's algorithm)."""
    energy = sum(sample * sample for sample in samples)
    if not energy:
        return 0.0
    count = len(samples)
    factor = 2 * math.cos(2 * math.pi * frequency / RATE)
    last = before = 0.0
    for sample in samples:
        last, before = sample + factor * last - before, last
    power = last * last + before * before - factor * last * before
    return 2 * power / (count * energy)
