"""PostGIS: the polygons in a table with a GiST index. One statement joins all fixes by ST_Covers, in one process.

The server has a folder and a socket of its own, and ends with this program. Root starts it as the user postgres.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import fences

folder, limit = sys.argv[1], int(sys.argv[2])
programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
as_user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
scratch = pathlib.Path(tempfile.mkdtemp(prefix="fences-"))
if as_user:
    shutil.chown(scratch, "postgres")


def run(*words, **options):
    return subprocess.run([*as_user, *map(str, words)], check=True, text=True, capture_output=True, cwd=scratch, **options)


def psql(commands):
    return run(programs / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", scratch, "postgres", input=commands).stdout


try:
    run(programs / "initdb", "-D", scratch / "data", "-A", "trust", "--no-sync")
    settings = f"-c listen_addresses='' -c unix_socket_directories='{scratch}' -c fsync=off -c shared_buffers=256MB"
    # The server keeps the files that it inherits open, so it gets none of those that are waited for.
    subprocess.run(
        [*as_user, str(programs / "pg_ctl"), "-D", str(scratch / "data"), "-l", str(scratch / "log"), "-w",
         "-o", settings, "start"], check=True, cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        (scratch / "fences").write_text("".join(f"{number}\t{text}\n" for number, text in fences.polygons(folder)))
        (scratch / "fixes").write_text("".join(
            f"{number}\tPOINT({longitude} {latitude})\n"
            for number, (*_, latitude, longitude) in enumerate(fences.fixes(folder, limit))))
        version = psql(f"""
            CREATE EXTENSION postgis;
            CREATE TABLE fence (id int PRIMARY KEY, shape geometry);
            CREATE TABLE fix (id int PRIMARY KEY, place geometry);
            \\copy fence FROM '{scratch}/fences'
            \\copy fix FROM '{scratch}/fixes'
            CREATE INDEX fence_shape ON fence USING gist (shape);
            VACUUM ANALYZE;
            SELECT postgis_lib_version();""").strip()
        # The second time counts, when everything is in memory.
        told = psql(f"""
            SET max_parallel_workers_per_gather = 0;
            SET jit = off;
            CREATE TEMP TABLE warm AS SELECT fix.id AS fix, fence.id AS fence FROM fix, fence
                WHERE fix.id < 1000 AND ST_Covers(fence.shape, fix.place);
            \\timing on
            CREATE TEMP TABLE hit AS SELECT fix.id AS fix, fence.id AS fence FROM fix, fence
                WHERE ST_Covers(fence.shape, fix.place);
            \\timing off
            \\copy hit TO '{scratch}/hits'
            """)
        milliseconds = float(re.search(r"Time: ([\d.]+) ms", told)[1])
        hits = [tuple(map(int, line.split())) for line in (scratch / "hits").read_text().splitlines()]
        # The server's own processor time is not known; it has the thread for itself.
        fences.report("postgis", folder, hits, milliseconds / 1000, milliseconds / 1000, limit, version=version)
    finally:
        run(programs / "pg_ctl", "-D", scratch / "data", "-m", "immediate", "-w", "stop")
except subprocess.CalledProcessError as error:
    sys.exit(f"{error.cmd}: {error.stderr}")
finally:
    shutil.rmtree(scratch)
