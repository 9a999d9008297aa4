"""Where the real data lie: a folder named by CONDMMD_DATA, or shared/data beside the repository."""

import gzip
import os
import struct
from functools import cache
from pathlib import Path
from urllib.error import URLError

import numpy as np
from sklearn.datasets import fetch_openml, load_digits
from sklearn.decomposition import PCA

BESIDE = Path(__file__).parent.parent.parent / "shared" / "data"
OFFLINE = "CONDMMD_OFFLINE"  # set: do not ask OpenML


def data_file(*parts):
    """The path of a file in one of the two folders, or None."""
    folders = [Path(os.environ["CONDMMD_DATA"])] if "CONDMMD_DATA" in os.environ else []
    return next((path for folder in (*folders, BESIDE) if (path := folder.joinpath(*parts)).exists()), None)


def read_idx(path):
    """An array in the IDX format of the MNIST files."""
    content = gzip.decompress(path.read_bytes())
    dimensions = content[3]
    shape = struct.unpack(f">{dimensions}I", content[4 : 4 + 4 * dimensions])
    return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


@cache
def images():
    """(name of the data set, images in rows, digits): the MNIST test set, or else scikit-learn's digits."""
    paths = [data_file("mnist", f"t10k-{kind}-ubyte.gz") for kind in ("images-idx3", "labels-idx1")]
    if all(paths):
        pixels, digits = map(read_idx, paths)
        return "MNIST test set", pixels.reshape(len(pixels), -1).astype(float), digits.astype(int)
    if OFFLINE not in os.environ:
        try:
            found = fetch_openml("mnist_784", version=1, as_frame=False, parser="liac-arff", n_retries=0)
        except (URLError, OSError):
            pass
        else:
            return "MNIST test set (OpenML)", found.data[60_000:].astype(float), found.target[60_000:].astype(int)
    digits = load_digits()
    return "scikit-learn's digits, not MNIST", digits.data, digits.target


@cache
def components():
    """The images as principal components: pixels scaled by one mean and one standard deviation, then 100 scores."""
    _, pixels, digits = images()
    scaled = (pixels - pixels.mean()) / pixels.std()
    scores = PCA(min(100, pixels.shape[1]), svd_solver="covariance_eigh").fit_transform(scaled)
    return scores, digits
