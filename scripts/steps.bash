# Sourced by scripts/check and .ci/run: run every step, name those that failed at the end.

failed_steps=()

# step NAME COMMAND...: run a command, print its name before and its time after it.
step() {
    local name=$1 started=$SECONDS code=0
    shift
    printf '\n==> %s\n' "$name"
    "$@" || code=$?
    if ((code == 0)); then
        printf '<== %s: ok, %d s\n' "$name" "$((SECONDS - started))"
    else
        printf '<== %s: FAILED with exit code %d, %d s\n' "$name" "$code" "$((SECONDS - started))"
        failed_steps+=("$name")
    fi
}

# report_steps: list what failed; its exit code is that of the whole run.
report_steps() {
    if ((${#failed_steps[@]} == 0)); then
        printf '\nAll steps passed, %d s.\n' "$SECONDS"
        return 0
    fi
    printf '\n%d steps failed, %d s:\n' "${#failed_steps[@]}" "$SECONDS"
    printf '  %s\n' "${failed_steps[@]}"
    return 1
}
