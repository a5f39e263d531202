# For npm start and npm test, where no Node 26 runs: says why, and what to do. TypeScript can't say it.
told=$(node --version 2>&1)
case "$told" in
  *libatomic*)
    echo "$told"
    echo "The Node that comes with the packages needs the library libatomic. Install it, then run npm ci again:"
    echo "  Debian, Ubuntu:  apt-get install libatomic1"
    echo "  Fedora, RHEL:    dnf install libatomic" ;;
  v[0-9]*)
    echo "This needs Node 26, and node is $told. npm ci installs the right one with the packages: run it, and look for its errors."
    echo "(Where they name libatomic.so.1: apt-get install libatomic1, or dnf install libatomic.)" ;;
  *)
    echo "$told"
    echo "The Node that comes with the packages does not run on this machine. Run npm ci again, or install Node 26 and put it first in PATH." ;;
esac >&2
exit 1
