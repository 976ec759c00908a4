"""The manifests of ops/kubernetes: valid, and the same processes, checks and bounds as compose.yaml has."""

import re

import kubernetes_validate
import pytest
import yaml

from config import VERSION
from config.env import SECRETS, Environment
from tests.support.paths import ROOT
from tests.support.read_variables import read_by_settings

FOLDER = ROOT / "ops/kubernetes"
MANIFESTS = [
    (path.name, manifest) for path in sorted(FOLDER.glob("*.yaml")) for manifest in yaml.safe_load_all(path.read_text())
]
SERVICES = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
CONFIG = next(manifest["data"] for _, manifest in MANIFESTS if manifest["kind"] == "ConfigMap")
OLDEST, NEWEST = "1.30", "1.37"


def pods():
    """The specification of each pod, with its component's name."""
    for _, manifest in MANIFESTS:
        spec = manifest.get("spec", {})
        template = spec.get("jobTemplate", {"spec": spec})["spec"].get("template")
        if template:
            yield template["metadata"]["labels"]["app.kubernetes.io/component"], template["spec"]


PODS = dict(pods())


@pytest.mark.long
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_kubernetes_takes_each_manifest(version):
    for name, manifest in MANIFESTS:
        kubernetes_validate.validate(manifest, version, strict=True)
        assert manifest["metadata"]["name"].startswith("rungs"), name


def test_each_process_of_compose_runs_with_its_command_and_memory():
    processes = {name for name, service in SERVICES.items() if service.get("env_file")}
    assert set(PODS) == processes
    for name, pod in PODS.items():
        (container,) = pod["containers"]
        assert container["image"] == f"rungs:{VERSION}", name
        if name not in ("web", "backup"):  # the image's own command, and one that ends
            assert container["args"] == SERVICES[name]["command"], name
        limit = container["resources"]["limits"]["memory"].replace("i", "").lower()
        assert limit == SERVICES[name]["mem_limit"], name


def test_workers_and_beat_are_probed_by_the_command_of_compose():
    for name in ("worker", "worker-long", "worker-network", "beat"):
        (container,) = PODS[name]["containers"]
        _, command = SERVICES[name]["healthcheck"]["test"]
        for probe in ("startupProbe", "livenessProbe"):
            assert container[probe]["exec"]["command"] == ["sh", "-c", command.replace("$$", "$")], name
        assert container["livenessProbe"]["timeoutSeconds"] >= 10, name


def test_pods_may_do_no_more_than_they_must():
    for name, pod in PODS.items():
        assert (pod["enableServiceLinks"], pod["automountServiceAccountToken"]) == (False, False), name
        assert (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"]) == (True, 10001), name
        (container,) = pod["containers"]
        context = container["securityContext"]
        assert (context["readOnlyRootFilesystem"], context["allowPrivilegeEscalation"]) == (True, False), name
        assert context["capabilities"] == {"drop": ["ALL"]}, name
        written = {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")}
        assert {"/tmp", "/var/lib/rungs/metrics"} <= written, name
        assert {mount["name"] for mount in container["volumeMounts"]} == {volume["name"] for volume in pod["volumes"]}


def test_secrets_are_files_that_the_readme_makes():
    assert set(CONFIG) <= {*read_by_settings(), *(f"{name}_FILE" for name in SECRETS)}
    assert not set(CONFIG) & SECRETS
    made = set(re.findall(r"--from-file=([\w-]+)", (FOLDER / "README.md").read_text()))
    assert {path for name, path in CONFIG.items() if name.endswith("_FILE")} == {
        f"/run/secrets/rungs/{name}" for name in made
    }


def test_the_readme_names_each_file_and_deletes_the_job_before_the_next():
    page = (FOLDER / "README.md").read_text()
    assert set(re.findall(r"^\| `([\w.]+)`", page, re.MULTILINE)) == {name for name, _ in MANIFESTS}
    names = {(manifest["kind"].lower(), manifest["metadata"]["name"]) for _, manifest in MANIFESTS}
    for kind, name in re.findall(r"(job|deployment)[/ ](rungs-[\w-]+)", page):
        assert (kind, name) in names


def test_variables_that_kubernetes_sets_for_services_are_no_mistakes():
    """Of Services whose names begin with `rungs`; elsewhere such a name is unknown."""
    own = {
        "RUNGS_SERVICE_HOST": "10.0.0.1",
        "RUNGS_SERVICE_PORT": "80",
        "RUNGS_SERVICE_PORT_HTTP": "80",
        "RUNGS_PORT": "tcp://10.0.0.1:80",
        "RUNGS_PORT_80_TCP": "tcp://10.0.0.1:80",
        "RUNGS_PORT_80_TCP_ADDR": "10.0.0.1",
        "RUNGS_WEB_SERVICE_HOST": "10.0.0.1",
    }
    inside = Environment({**own, "RUNGS_WEB_PORTS": "1", "KUBERNETES_SERVICE_HOST": "10.0.0.1"})
    assert [sentence.split()[0] for sentence in inside.unknown()] == ["RUNGS_WEB_PORTS"]
    assert len(list(Environment(own).unknown())) == len(own)
